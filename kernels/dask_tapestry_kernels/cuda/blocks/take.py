"""Take on a GPU: cells at places that blocks name; and boxes put into blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from dask_tapestry_kernels.cuda.blocks.picked_cells import Pick, aligned, picked, refused
from dask_tapestry_kernels.cuda.jit.runtime import Block, runtime
from dask_tapestry_kernels.kernel_table import Kernel


def take(
    out: Block | None,
    block: Block,
    *places: Block,
    axes: tuple[int, ...],
    at: int,
    extents: tuple[int, ...],
    origin: tuple[int, ...],
    starts: tuple[int, ...] | None = None,
) -> Block:
    """Cells of `block` at `places`.

    Parameters
    ----------
    places
        Integers, one block for each of `axes`, of shapes that broadcast; negative ones count from
        the end of the whole axis.
    axes
        The axes that are indexed.
    at
        Where the axes of the places stand in the result.
    extents
        Of the whole tensor along `axes`.
    origin
        Where the block begins along `axes`.
    starts
        Where each of several blocks begins along the one axis: the first of `places` are those
        behind `block`. They are put into a block that has all cells between.

    Raises
    ------
    IndexError
        If a place is out of bounds, as NumPy says it.
    """
    if starts is not None:
        *parts, numbers = block, *places
        block, places = _together(parts, axes[0], starts), (numbers,)
    common = np.broadcast_shapes(*[p.shape for p in places])
    kept = [axis for axis in range(block.ndim) if axis not in axes]
    before, behind = kept[:at], kept[at:]
    sides = [[block.shape[axis] for axis in part] for part in (before, behind)]
    block = aligned(runtime(), block)
    strides = [[block.strides[axis] for axis in part] for part in (before, behind)]
    picks = []
    for numbers, *told in zip(map(_of_device, places), axes, extents, origin, strict=True):
        own = (*[0] * len(before), *_spread(numbers, common), *[0] * len(behind))
        picks.append(_pick(block, numbers, own, *told))
    moved = [*strides[0], *[0] * len(common), *strides[1]]
    return _checked(out, block, picks, moved, (*sides[0], *common, *sides[1]))


def _together(parts: Sequence[Block], axis: int, starts: Sequence[int]) -> Block:
    """Blocks in their places along an axis of one; what lies between is nothing that is read."""
    shape = list(parts[0].shape)
    shape[axis] = starts[-1] + parts[-1].shape[axis] - starts[0]
    whole = runtime().empty(tuple(shape), parts[0].dtype)
    for part, start in zip(parts, starts, strict=True):
        lo = start - starts[0]
        whole[(slice(None),) * axis + (slice(lo, lo + part.shape[axis]),)] = part
    return whole


def take_along(out: Block | None, block: Block, places: Block, *, axis: int, extent: int) -> Block:
    """Cells at `places` along `axis`, of `extent` cells, as `numpy.take_along_axis`."""
    block, places = aligned(runtime(), block), _of_device(places)
    others = [n if a != axis else 1 for a, n in enumerate(block.shape)]
    shape = np.broadcast_shapes(tuple(others), places.shape)
    strides = [0 if n == 1 else s for n, s in zip(others, block.strides, strict=True)]
    pick = _pick(block, places, _spread(places, shape), axis, extent, 0)
    return _checked(out, block, [pick], strides, shape)


def _of_device(places: Block) -> Block:
    return aligned(runtime(), places)


def _spread(numbers: Block, shape: Sequence[int]) -> tuple[int, ...]:
    """Strides of numbers that are broadcast to a shape."""
    missing = len(shape) - numbers.ndim
    own = [0 if n == 1 else s for n, s in zip(numbers.shape, numbers.strides, strict=True)]
    return (*[0] * missing, *own)


def _pick(
    block: Block, numbers: Block, strides: tuple[int, ...], axis: int, extent: int, origin: int
) -> Pick:
    return Pick(numbers, strides, axis, extent, origin, block.shape[axis] - 1)


def _checked(
    out: Block | None,
    block: Block,
    picks: Sequence[Pick],
    strides: Sequence[int],
    shape: tuple[int, ...],
) -> Block:
    """What is picked; where no cell is, or there are none, the places alone are looked at."""
    empty = any(not block.shape[pick.axis] for pick in picks)
    filled = all(shape)
    if empty or not filled:
        error = refused(runtime(), picks)
        if error is None and filled:
            error = IndexError("cannot do a non-empty take from an empty axes.")
        if error is not None:
            raise error
    return picked(out, block, picks, strides, 0, shape, strict=True)


def insert(
    out: Block | None,  # noqa: ARG001
    block: Block,
    values: Block,
    *,
    index: tuple[slice, ...],
    shape: tuple[int, ...],
) -> Block:
    """`block` with the box `index` replaced by `values`, by CuPy's copies.

    `shape` is that of the result. Values of that shape are the result itself; `block` may then have
    no cells.
    """
    if values.shape == shape:
        return values
    if not values.size:
        return block
    result = runtime().empty(shape, block.dtype)
    result[...] = block
    result[index] = values
    return result


KERNELS: Final[dict[str, Kernel]] = {
    "take": take,
    "takealong": take_along,
    "insert": insert,
}
