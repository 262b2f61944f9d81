"""Stored chunks: what reading a box of them takes, and how large new ones should be."""

from __future__ import annotations

from math import prod

from dask_tapestry.zspace import ZRange

CHUNK_BYTES = 16 * 2**20  # large enough that a store's cost per chunk does not show


def covering_cells(box: ZRange, chunks: tuple[int, ...] | None, shape: tuple[int, ...]) -> int:
    """Cells of the chunks that meet `box`.

    Examples
    --------
    >>> covering_cells(ZRange((3,), (5,)), (4,), (10,))
    8
    """
    if chunks is None or box.is_empty:
        return box.size
    return prod(
        min(-(-hi // side) * side, extent) - lo // side * side
        for lo, hi, side, extent in zip(box.lo, box.hi, chunks, shape, strict=True)
    )


def automatic_chunks(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Chunk sides of about `CHUNK_BYTES`: the first dimensions are cut, the last stay whole.

    Examples
    --------
    >>> automatic_chunks((10_000, 256, 256, 3), 2)
    (42, 256, 256, 3)
    """
    cells = max(1, CHUNK_BYTES // itemsize)
    sides = [max(1, n) for n in shape]
    for axis in range(len(sides)):
        rest = prod(sides[axis + 1 :])
        if rest * sides[axis] <= cells:
            break
        sides[axis] = max(1, min(sides[axis], cells // rest))
    return tuple(sides)
