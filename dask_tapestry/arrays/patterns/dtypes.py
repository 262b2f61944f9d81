"""Dtypes by their widths, to write constants that fit the cells of an array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.errors import DTypeError

__all__ = [
    "get_float_type",
    "get_int_or_float_bit_width",
    "get_int_type",
    "get_uint_type",
]


def get_int_type(width: int) -> np.dtype[Any]:
    """Return the signed integer dtype of so many bits.

    {Parameters} width: 8, 16, 32 or 64.
    {Returns} numpy.dtype: Such as int32.
    {Raises} DTypeError: If there is none.
    {Examples}
    >>> dt.patterns.get_int_type(16)
    dtype('int16')
    """
    return _of_width("i", width, (8, 16, 32, 64))


def get_uint_type(width: int) -> np.dtype[Any]:
    """Return the unsigned integer dtype of so many bits.

    {Parameters} width: 8, 16, 32 or 64.
    {Returns} numpy.dtype: Such as uint32.
    {Raises} DTypeError: If there is none.
    {Examples}
    >>> dt.patterns.get_uint_type(8)
    dtype('uint8')
    """
    return _of_width("u", width, (8, 16, 32, 64))


def get_float_type(width: int) -> np.dtype[Any]:
    """Return the floating-point dtype of so many bits.

    {Parameters} width: 16, 32 or 64.
    {Returns} numpy.dtype: Such as float32.
    {Raises} DTypeError: If there is none.
    {Examples}
    >>> dt.patterns.get_float_type(32)
    dtype('float32')
    """
    return _of_width("f", width, (16, 32, 64))


def get_int_or_float_bit_width(dtype: DTypeLike) -> int:
    """Return how many bits a cell of an integer or floating-point dtype has.

    Source: parallel patterns of SambaFlow, "RotaryEmbedding Example".

    {Parameters} dtype: An integer or floating-point dtype.
    {Returns} int: Such as 32.
    {Raises} DTypeError: For other dtypes.
    {Examples}
    >>> dt.patterns.get_int_type(dt.patterns.get_int_or_float_bit_width("float32"))
    dtype('int32')
    """
    known = as_dtype(dtype)
    if known.kind not in "iuf":
        raise DTypeError(f"{known.name} is neither an integer nor a floating-point dtype")
    return 8 * known.itemsize


def _of_width(kind: str, width: int, widths: tuple[int, ...]) -> np.dtype[Any]:
    if width not in widths:
        raise DTypeError(f"no such dtype has {width} bits: {', '.join(map(str, widths))} are there")
    return np.dtype(f"{kind}{width // 8}")
