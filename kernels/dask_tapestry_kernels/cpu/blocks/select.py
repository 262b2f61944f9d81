"""Selectors: blocks seen or copied under other coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, product
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.interleave import interleaved
from dask_tapestry_kernels.cpu.blocks.strided import strided
from dask_tapestry_kernels.cpu.cells.turned_copy import copy_cells
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def identity(out: Block | None, block: Block) -> Block:  # noqa: ARG001
    """The block itself."""
    return block


def view(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    index: tuple[int | slice, ...],
    order: tuple[int, ...],
    broadcast: tuple[int, ...],
    shape: tuple[int, ...],
    runs: tuple[int, ...] = (),
) -> Block:
    """Index, reorder, take diagonals, repeat; a view, never a copy.

    Parameters
    ----------
    index
        An integer or slice for each leading axis of `block`.
    order
        The axes that are left, in the order of the result.
    runs
        The reordered axes fall into runs of so many axes; each run is read along its diagonal.
    broadcast
        Dimensions of the result along which the block is repeated.
    shape
        Of the result.
    """
    viewed: Block = block[(*index, ...)].transpose(order)
    if runs:
        viewed = diagonals(viewed, runs)
    return repeated(viewed, broadcast, shape) if broadcast else viewed


def repeated(block: Block, axes: tuple[int, ...], shape: tuple[int, ...]) -> Block:
    """A block with new `axes`, along which it is repeated: a view of `shape`, not to be written to.

    Of numbers that lie in order it is made in a tenth of the time that `numpy.broadcast_to` takes.
    """
    if block.dtype.kind not in "biufc" or not block.flags.c_contiguous:
        inner = tuple([None if dim in axes else slice(None) for dim in range(len(shape))])
        return np.broadcast_to(block[(*inner, ...)], shape)
    own = iter(block.strides)
    strides = tuple([0 if dim in axes else next(own) for dim in range(len(shape))])
    made = np.ndarray(shape, block.dtype, block, 0, strides)
    made.flags.writeable = False
    return made


def steps(out: Block | None, *blocks: Block, axis: int, step: int) -> Block:
    """Every `step`-th cell along an axis of a block, or the cells of several blocks in a row."""
    if len(blocks) > 1:
        return np.concatenate(blocks, axis, out=out)
    (block,) = blocks
    stepped = block[(slice(None),) * axis + (slice(None, None, step),)]
    if out is None:
        return stepped.copy()
    out[...] = stepped
    return out


def diagonals(block: Block, runs: tuple[int, ...]) -> Block:
    """Each run of axes, all of one length, as the one axis along its diagonal."""
    ends = [*accumulate(runs)]
    firsts = [end - run for end, run in zip(ends, runs, strict=True)]
    steps = [sum(block.strides[a:b]) for a, b in zip(firsts, ends, strict=True)]
    return strided(block, [block.shape[a] for a in firsts], steps)


def windows(
    out: Block | None,  # noqa: ARG001
    block: Block,
    *,
    axis: int,
    step: int,
    pace: int,
    shape: tuple[int, ...],
) -> Block:
    """Windows along an axis as a last dimension; a view, never a copy.

    Parameters
    ----------
    step, pace
        Cells from one window to the next, and from one cell of a window to the next.
    shape
        Of the result: with the number of windows at `axis`, and their length last.
    """
    if 0 in shape:
        return np.empty(shape, block.dtype)
    strides = list(block.strides)
    along = strides[axis]
    strides[axis] = along * step
    return strided(block, shape, (*strides, along * pace))


def concat(out: Block | None, *blocks: Block, axis: int) -> Block:
    """Join blocks along `axis`; those without cells are left out, a lone one is returned itself."""
    filled = [block for block in blocks if block.shape[axis]] or blocks[:1]
    if len(filled) == 1:
        return filled[0]
    joined = interleaved(out, filled, axis)
    return np.concatenate(filled, axis, out=out) if joined is None else joined


def reshape(
    out: Block | None, *blocks: Block, parts: Sequence[Sequence[Any]], shape: tuple[int, ...]
) -> Block:
    """Put the box of `shape` together from blocks, a part of each group of axes for each.

    `parts` holds the parts of each group (see operators/views/reshape.py); the blocks come in C
    order of their combinations.
    """
    if 0 in shape:
        return np.empty(shape, blocks[0].dtype)
    first = [group[0] for group in parts]
    if len(blocks) == 1 and _under(blocks[0], _sizes(first)) is not None:
        return _strided(blocks[0], first)
    result = np.empty(shape, blocks[0].dtype) if out is None else out
    if len(blocks) == 1:
        return _put(result, blocks[0], first)
    result = result if result.flags.c_contiguous else np.empty(shape, blocks[0].dtype)
    grouped = result.reshape([n for group in parts for n in _extents(group)])
    for chosen, block in zip(product(*parts), blocks, strict=True):
        into: list[Any] = []
        for part, group in zip(chosen, parts, strict=True):
            alone = len(group) == 1
            into += (
                [slice(None)] * len(part.shape)
                if alone
                else [slice(part.start, part.start + part.length)]
            )
        _put(grouped[(*into, ...)], block, chosen)
    return result


def _extents(group: Sequence[Any]) -> tuple[int, ...]:
    """Dimensions of the result that a group's parts fill: one where they are several."""
    return group[0].shape if len(group) == 1 else (sum(part.length for part in group),)


def _sizes(parts: Sequence[Any]) -> list[int]:
    """How many cells of a block are in each group of axes."""
    return [prod(b - a for a, b in zip(part.lo, part.hi, strict=True)) for part in parts]


def _under(block: Block, shape: Sequence[int]) -> Block | None:
    """A view of a block under another shape; None where axes that join do not run on in memory."""
    try:
        return block.reshape(shape, copy=False)
    except ValueError:
        return None


def _put(target: Block, block: Block, parts: Sequence[Any]) -> Block:
    """Write the wanted cells of a block to a target, at once where they are all of them.

    Those that are repeated, or lie in another order, would be copied twice.
    """
    seen = _under(target, block.shape) if _are_all(parts) else None
    if seen is None:
        extents = [n for part in parts for n in part.shape]
        seen, block = target.reshape(extents, copy=False), _strided(block, parts)
    copy_cells(seen, block)
    return target


def _are_all(parts: Sequence[Any]) -> bool:
    """Whether the wanted cells are all of a block, in order."""
    for part, size in zip(parts, _sizes(parts), strict=True):
        for n, step in zip(part.shape, part.steps, strict=True):
            if n > 1 and size != n * step:
                return False
            size //= n
        if size != 1:
            return False
    return True


def _strided(block: Block, parts: Sequence[Any]) -> Block:
    """The wanted cells of a block whose axes form groups of running numbers, one part for each."""
    flat = block.reshape(_sizes(parts))  # a view, where the axes of each group run on in memory
    offsets: tuple[Any, ...] = (*[slice(part.offset, None) for part in parts], ...)
    start = flat[offsets]
    steps = [s * flat.strides[g] for g, part in enumerate(parts) for s in part.steps]
    return strided(start, [n for part in parts for n in part.shape], steps)


def mosaic(
    out: Block | None,
    *blocks: Block,
    places: Sequence[tuple[slice, ...]],
    shape: tuple[int, ...],
) -> Block:
    """Put each block at its place, a slice for each axis, in a block of `shape`.

    A lone block that fills the shape is returned itself.
    """
    if len(places) == 1 and blocks[0].shape == shape:
        return blocks[0]
    result = np.empty(shape, blocks[0].dtype) if out is None else out
    for block, place in zip(blocks, places, strict=False):  # of an empty box there are no places
        result[place] = block
    return result


KERNELS: Final[dict[str, Kernel]] = {
    "identity": identity,
    "view": view,
    "windows": windows,
    "concat": concat,
    "mosaic": mosaic,
    "reshape": reshape,
    "steps": steps,
}
