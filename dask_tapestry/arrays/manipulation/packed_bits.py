"""Eight bits in a byte: `packbits`, `unpackbits`."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, is_one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.creation.filled import zeros
from dask_tapestry.arrays.manipulation.joining import concatenate
from dask_tapestry.arrays.statistics.reductions import sum as total
from dask_tapestry.errors import ArgumentError, DTypeError
from dask_tapestry.operators.axes import normalize_axis

__all__ = ["packbits", "unpackbits"]

BYTE: Final = 8  # bits


@implements(np.packbits)
def packbits(a: ArrayLike, axis: int | None = None, bitorder: str = "big") -> Array:
    """Pack eight cells, which are zero or not, into a byte, as `numpy.packbits`.

    {Parameters}
        a: Whole numbers or bools.
        axis: Axis to pack along; None takes the flattened array.
        bitorder: ``"big"`` for the first cell in the highest bit, ``"little"`` for the lowest.
    {Returns} Array: Bytes; zeros are added where eight does not divide the extent.
    {Raises} DTypeError: For other cells.
    {See Also} unpackbits
    {Examples}
    >>> dt.packbits([1, 0, 0, 0, 0, 0, 1, 1, 1]).compute()
    array([131, 128], dtype=uint8)
    """
    x = asarray(a)
    if x.dtype.kind not in "biu":
        raise DTypeError("Expected an input array of integer or boolean data type")
    shifts, (x, number) = _shifts(bitorder), _cells_and_axis(x, axis)
    held = _lengthened((x != 0).astype(np.uint8), number, -x.shape[number] % BYTE)
    lead, rest = held.shape[:number], held.shape[number + 1 :]
    bits = held.reshape((*lead, held.shape[number] // BYTE, BYTE, *rest))
    return total(bits << shifts.reshape(BYTE, *[1] * len(rest)), axis=number + 1, dtype=np.uint8)


@implements(np.unpackbits)
def unpackbits(
    a: ArrayLike, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> Array:
    """Make a cell of each bit of bytes, as `numpy.unpackbits`.

    {Parameters}
        a: Bytes, of dtype uint8.
        axis: Axis to unpack along; None takes the flattened array.
        count: Cells along it; zeros are added to fewer bits. Negative: bits to leave out.
        bitorder: As that of `packbits`.
    {Returns} Array: Zeros and ones, of dtype uint8.
    {Raises}
        DTypeError: For other cells.
        ArgumentError: If more bits are to be left out than there are.
    {See Also} packbits
    {Examples}
    >>> dt.unpackbits(dt.asarray([131], dtype="u1")).compute()
    array([1, 0, 0, 0, 0, 0, 1, 1], dtype=uint8)
    """
    x = asarray(a)
    if x.dtype != np.uint8:
        raise DTypeError("Expected an input array of unsigned byte data type")
    shifts, (x, number) = _shifts(bitorder), _cells_and_axis(x, axis)
    lead, rest = x.shape[:number], x.shape[number + 1 :]
    bytes_ = x.reshape((*lead, x.shape[number], 1, *rest))
    bits = (bytes_ >> shifts.reshape(BYTE, *[1] * len(rest))) & np.uint8(1)
    extent = BYTE * x.shape[number]
    unpacked = bits.reshape((*lead, extent, *rest))
    if count is None:
        return unpacked
    wanted = integer(count)
    if wanted < -extent:
        raise ArgumentError("-count larger than number of elements")
    kept = slice(0, extent + wanted if wanted < 0 else wanted)
    return _lengthened(unpacked[(*[slice(None)] * number, kept)], number, max(0, wanted - extent))


def _shifts(bitorder: str) -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    """By how much each cell's bit is moved, in order."""
    if not is_one_of(bitorder, ("big", "little")):
        raise ArgumentError("'order' must be either 'little' or 'big'")
    places = np.arange(BYTE, dtype=np.uint8)
    return places[::-1] if bitorder == "big" else places


def _cells_and_axis(x: Array, axis: int | None) -> tuple[Array, int]:
    """The cells and the axis to go along; of one cell, and for None, they lie in a row."""
    if axis is None or not x.ndim:
        normalize_axis(axis or 0, 1)
        return x.reshape(-1), 0
    return x, normalize_axis(axis, x.ndim)


def _lengthened(x: Array, axis: int, more: int) -> Array:
    """`x` with so many zeros more at its end."""
    shape = [more if d == axis else n for d, n in enumerate(x.shape)]
    return concatenate([x, zeros(shape, x.dtype)], axis=axis) if more else x
