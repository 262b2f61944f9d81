"""Reshaping block by block, in an order that is not NumPy's: `reshape_blockwise`."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.shape.reshaping import reshape
from dask_tapestry.errors import ShapeError, SignatureError, UnsupportedError
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.teg import Tensor

__all__ = ["reshape_blockwise"]

Shape = tuple[int, ...]
Chunks = tuple[Shape, ...]
Group = tuple[range, range]  # axes of the array, and axes of the result that they become


def reshape_blockwise(x: ArrayLike, shape: int | Shape, chunks: Chunks | None = None) -> Array:
    """Reshape every nominal chunk of an array, and join the results.

    Cells come in another order than from `reshape`: those of a chunk stay together.

    {Parameters}
        {x}
        shape: The new shape, in which neighbouring dimensions are joined, or one is split into
            several.
        chunks: Nominal chunks of the result; needed where dimensions are split, refused where they
            are joined.
    {Returns} Array: Of the new shape.
    {Raises}
        ShapeError: If the number of cells differs, or the chunks do not fit.
        SignatureError: If `chunks` are missing where they are needed.
        NotImplementedError: If dimensions are joined and others split.
    {See Also} reshape, dask.array.reshape_blockwise
    {Examples}
    >>> x = dt.arange(8).reshape(2, 4).rechunk((2, 2))
    >>> dt.reshape_blockwise(x, 8).compute()
    array([0, 1, 4, 5, 2, 3, 6, 7])
    """
    array = asarray(x)
    new_shape = _sides(array.size, shape)
    if new_shape == array.shape:
        return array
    if len(new_shape) > array.ndim:
        return _split(array, new_shape, chunks)
    if chunks is not None:
        raise ShapeError("Setting chunks is not allowed when dimensions are joined")
    groups = _groups(array.shape, new_shape)
    return _joined(array, array.chunks, _merged(array.chunks, groups))


def _sides(size: int, shape: int | Shape) -> Shape:
    """The shape, with the length for -1."""
    sides = tuple(map(integer, shape)) if isinstance(shape, tuple | list) else (integer(shape),)
    if -1 in sides:
        rest = prod(n for n in sides if n != -1)
        sides = tuple(size // max(rest, 1) if n == -1 else n for n in sides)
    if prod(sides) != size:
        raise ShapeError(f"cannot reshape {size} cells into {sides}")
    return sides


def _split(array: Array, wanted: Shape, chunks: Chunks | None) -> Array:
    """`array` with dimensions split, in chunks of the user."""
    if chunks is None:
        raise SignatureError("Need to specify chunks if expanding dimensions.")
    groups = _groups(wanted, array.shape)
    if tuple(map(sum, chunks)) != wanted or _merged(chunks, groups) != array.chunks:
        raise ShapeError(
            f"Chunk sizes do not match for the following chunks: {chunks} and {array.chunks}"
        )
    return _joined(array, array.chunks, chunks)


def _groups(long: Shape, short: Shape) -> list[Group]:
    """Axes of `long` and of `short` that hold the same cells, as few as can be at a time."""
    groups, a, b = [], 0, 0
    while a < len(long) or b < len(short):
        long_start, short_start = a, b
        a, b = min(a + 1, len(long)), min(b + 1, len(short))
        while prod(long[long_start:a]) != prod(short[short_start:b]):
            fewer = prod(long[long_start:a]) < prod(short[short_start:b])
            if a < len(long) and (fewer or b == len(short)):  # a dimension of no cells may follow
                a += 1
            elif b < len(short):
                b += 1
            else:
                raise ShapeError(f"{long} and {short} share no dimensions block by block")
        if b == len(short):
            a = len(long)
        groups.append((range(long_start, a), range(short_start, b)))
    if any(len(new) > 1 for _, new in groups):
        raise UnsupportedError("reshape_blockwise not implemented for expanding dimensions")
    return groups


def _merged(chunks: Chunks, groups: list[Group]) -> Chunks:
    """Chunks of an array with the axes of each group joined."""
    return tuple(
        tuple(map(prod, product(*(chunks[axis] for axis in axes)))) for axes, new in groups if new
    )


def _joined(array: Array, old: Chunks, new: Chunks) -> Array:
    """Blocks of `array`, in chunks `old`, reshaped to those of `new` and put together."""
    counts = tuple(map(len, old)), tuple(map(len, new))
    blocks = array.blocks
    pieces = np.empty(prod(counts[0]), dtype=object)
    for number, (place, sides) in enumerate(zip(np.ndindex(counts[0]), product(*new), strict=True)):
        pieces[number] = reshape(blocks[place], sides).node
    return with_chunks(Array(_joined_grid(pieces.reshape(counts[1]))), new)


def _joined_grid(pieces: Any) -> Tensor:
    """One tensor of a grid of blocks, joined axis by axis from the last."""
    for axis in range(pieces.ndim - 1, -1, -1):
        joined = np.empty(pieces.shape[:-1], dtype=object)
        for place in np.ndindex(joined.shape):
            joined[place] = concat(list(pieces[place]), axis)
        pieces = joined
    whole: Tensor = pieces[()]
    return whole


write_out(__name__)
