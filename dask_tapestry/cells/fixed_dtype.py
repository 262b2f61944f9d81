"""Dtypes that cells may have, in this machine's byte order."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry.errors import DTypeError

OUTSIDE: Final = (
    "cells of {dtype} lie outside of their arrays, and here the bytes of cells are looked at: "
    "convert them before ('U' for texts, 'M8' for times, float for numbers)"
)
FIELDS: Final = (
    "structured cells with Python objects as fields are not supported: keep the objects in an "
    "array of their own"
)


def cell_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in this machine's byte order; that of characters, ``"c"``, as bytes.

    Raises
    ------
    DTypeError
        For structured cells of which a field is a Python object.

    Examples
    --------
    >>> cell_dtype(np.dtype(">f8")), cell_dtype(np.dtype(object))
    (dtype('float64'), dtype('O'))
    """
    if dtype.hasobject and dtype.kind not in "OT":
        raise DTypeError(FIELDS)
    if dtype.char == "c":  # of which NumPy makes no cell: it takes bytes for a sequence
        return np.dtype("S1")
    return dtype if dtype.isnative else dtype.newbyteorder("=")


def fixed_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in this machine's byte order, if cells are bytes, a fixed number of them.

    Raises
    ------
    DTypeError
        For Python objects and texts of varying length, which lie outside of their cells.

    Examples
    --------
    >>> fixed_dtype(np.dtype(">f8"))
    dtype('float64')
    """
    if dtype.hasobject:
        raise DTypeError(OUTSIDE.format(dtype=dtype))
    return cell_dtype(dtype)


def dtype_name(dtype: np.dtype[Any]) -> str:
    """What messages and prints call a dtype; of text, for which NumPy counts bits, its short form.

    Examples
    --------
    >>> dtype_name(np.dtype("f4")), dtype_name(np.dtype("U3"))
    ('float32', '<U3')
    """
    name = str(dtype.name)  # values held in other forms have a name, and no kind
    return str(dtype) if name.startswith(("str", "bytes")) else name
