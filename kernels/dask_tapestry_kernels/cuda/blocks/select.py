"""Selectors on a GPU: blocks seen under other coordinates, which cost nothing, or put together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, product
from math import prod
from typing import Any, Final

from dask_tapestry_kernels.cuda.blocks.copies import copy_cells, in_order
from dask_tapestry_kernels.cuda.jit.runtime import Block, runtime
from dask_tapestry_kernels.kernel_table import Kernel


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
    viewed = block[(*index, ...)].transpose(order)
    if not runs and not broadcast:
        return viewed
    strides = list(viewed.strides)
    if runs:
        ends = [*accumulate(runs)]
        bounds = [(end - run, end) for end, run in zip(ends, runs, strict=True)]
        strides = [sum(strides[a:b]) for a, b in bounds]
    steps = iter(strides)
    repeated = [0 if dim in broadcast else next(steps) for dim in range(len(shape))]
    return runtime().strided(viewed, shape, repeated)


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
        return runtime().empty(shape, block.dtype)
    strides = list(block.strides)
    along = strides[axis]
    strides[axis] = along * step
    return runtime().strided(block, shape, (*strides, along * pace))


def concat(out: Block | None, *blocks: Block, axis: int) -> Block:
    """Join blocks along `axis`; those without cells are left out, a lone one is returned itself."""
    filled = [block for block in blocks if block.shape[axis]] or list(blocks[:1])
    if len(filled) == 1:
        return filled[0]
    ends = [*accumulate(block.shape[axis] for block in filled)]
    lead = (slice(None),) * axis
    slices = [
        (*lead, slice(end - block.shape[axis], end), ...)
        for block, end in zip(filled, ends, strict=True)
    ]
    first = filled[0].shape
    shape = (*first[:axis], ends[-1], *first[axis + 1 :])
    return _together(out, filled, slices, shape)


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
    return _together(out, blocks, places, shape)


def _together(
    out: Block | None,
    blocks: Sequence[Block],
    places: Sequence[tuple[Any, ...]],
    shape: tuple[int, ...],
) -> Block:
    result = runtime().empty(shape, blocks[0].dtype) if out is None else out
    for block, place in zip(blocks, places, strict=False):  # of an empty box there are no places
        copy_cells(result[place], block)
    return result


def reshape(
    out: Block | None, *blocks: Block, parts: Sequence[Sequence[Any]], shape: tuple[int, ...]
) -> Block:
    """Put the box of `shape` together from blocks, a part of each group of axes for each.

    `parts` holds the parts of each group (see operators/views/reshape.py); the blocks come in C
    order of their combinations.
    """
    gpu = runtime()
    if 0 in shape:
        return gpu.empty(shape, blocks[0].dtype)
    if len(blocks) == 1:
        return _running(blocks[0], [group[0] for group in parts])
    fits = out is not None and out.flags.c_contiguous
    result = out if out is not None and fits else gpu.empty(shape, blocks[0].dtype)
    grouped = result.reshape([n for group in parts for n in _extents(group)])
    for chosen, block in zip(product(*parts), blocks, strict=True):
        into: list[slice] = []
        for part, group in zip(chosen, parts, strict=True):
            alone = len(group) == 1
            whole = slice(part.start, part.start + part.length)
            into += [slice(None)] * len(part.shape) if alone else [whole]
        copy_cells(grouped[tuple(into)], _running(block, chosen))
    return result


def _extents(group: Sequence[Any]) -> tuple[int, ...]:
    """Dimensions of the result that a group's parts fill: one where they are several."""
    return group[0].shape if len(group) == 1 else (sum(part.length for part in group),)


def _running(block: Block, parts: Sequence[Any]) -> Block:
    """The wanted cells of a block whose axes form groups of running numbers, one part for each."""
    sizes = [prod(b - a for a, b in zip(part.lo, part.hi, strict=True)) for part in parts]
    flat = _flat(block, parts, sizes)
    start = flat[(*[slice(part.offset, None) for part in parts], ...)]
    steps = [s * flat.strides[g] for g, part in enumerate(parts) for s in part.steps]
    return runtime().strided(start, [n for part in parts for n in part.shape], steps)


def _flat(block: Block, parts: Sequence[Any], sizes: Sequence[int]) -> Block:
    """The block with one axis for each group: a view where those of each run on in memory."""
    ends = [*accumulate(len(part.lo) for part in parts)]
    runs_on = all(
        block.strides[axis] == block.strides[axis + 1] * block.shape[axis + 1]
        for axis in range(block.ndim - 1)
        if axis + 1 not in ends and 1 not in block.shape[axis : axis + 2]
    )
    return (block if runs_on else in_order(block)).reshape(sizes)


KERNELS: Final[dict[str, Kernel]] = {
    "identity": identity,
    "view": view,
    "windows": windows,
    "concat": concat,
    "mosaic": mosaic,
    "reshape": reshape,
}
