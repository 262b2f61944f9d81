"""Cells that refer to what lies outside of arrays: Python objects, texts of any length.

An array has references to them. Their bytes can be moved by NumPy alone, never viewed as another
dtype, and what a cell takes in memory is an estimate.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from dask_tapestry.cells.tuning import REFERRED_BYTES

Cell = np.generic | np.ndarray[Any, Any]  # of references and texts: an array of the one cell


def cell_bytes(dtype: Any) -> int:
    """Bytes of memory that a cell takes, with what it refers to: that is estimated.

    Examples
    --------
    >>> cell_bytes(np.dtype("float64")), cell_bytes(np.dtype(object))
    (8, 72)
    """
    size: int = dtype.itemsize
    return size + REFERRED_BYTES if dtype.hasobject else size


def packed(cell: Cell) -> bytes:
    """A cell as bytes, which tell it in any process.

    Raises
    ------
    pickle.PicklingError, TypeError, AttributeError
        If it is an object that cannot be pickled.
    """
    return pickle.dumps(cell.item()) if cell.dtype.hasobject else cell.tobytes()


def unpacked(told: bytes, dtype: np.dtype[Any]) -> Cell:
    """The cell of `dtype` that `packed` told.

    Examples
    --------
    >>> unpacked(packed(np.float32(1.5)), np.dtype("float32"))
    np.float32(1.5)
    >>> unpacked(packed(one_cell(None, np.dtype(object))), np.dtype(object))
    array(None, dtype=object)
    >>> unpacked(packed(np.asarray("a", "U3")), np.dtype("U3"))
    array('a', dtype='<U3')
    """
    if dtype.hasobject:
        return one_cell(pickle.loads(told), dtype)
    cell = np.frombuffer(told, dtype).reshape(()) if dtype.itemsize else np.zeros((), dtype)
    return _scalar(cell)


def one_cell(value: object, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An array without dimensions that holds `value`, even where that is a list."""
    made = np.empty((), dtype)
    made[()] = value
    return made


def zero_cell(dtype: np.dtype[Any]) -> Cell:
    """Return what arrays of zeros hold: of objects the integer 0, of texts an empty one.

    Examples
    --------
    >>> zero_cell(np.dtype("float32"))
    np.float32(0.0)
    """
    return _scalar(np.zeros((), dtype))


def _scalar(cell: np.ndarray[Any, Any]) -> Cell:
    """The cell of an array without dimensions: NumPy's, where that tells the array's dtype.

    A text forgets how long others may be.
    """
    alone: Cell = cell if cell.dtype.hasobject or cell.dtype.kind in "US" else cell[()]
    return alone
