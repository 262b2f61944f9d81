"""Assembles cells of a value from blocks that hold them, for a task or for a result."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.lower.joined_blocks import joined
from dask_tapestry.memory.buffer_pool import POOL
from dask_tapestry.zspace import Cuts, ZRange, block_box, block_range
from dask_tapestry_kernels.block_format import BlockFormat, is_foreign, is_on_device, with_all_cells
from dask_tapestry_kernels.composite_blocks import Collected
from dask_tapestry_kernels.unread_cells import part_of as cells_of

Block = Any  # an array, or `Collected` ones


def assemble_as_held(box: ZRange, cuts: tuple[Cuts, ...], blocks: Sequence[Any]) -> Any:
    """Return the cells `box`, from blocks of any format, in the format of the first."""
    if is_on_device(blocks[0]):
        return assemble_on_device(box, cuts, blocks)
    if is_foreign(blocks[0]):
        return assemble_foreign(box, cuts, blocks)
    return assemble(box, cuts, blocks)


def assemble_foreign(box: ZRange, cuts: tuple[Cuts, ...], blocks: Sequence[Any]) -> Any:
    """Return the cells `box`, from blocks in the arrays of another library, in such an array."""
    if box.is_empty:
        return _no_cells(blocks[0], box)
    ranges = block_range(cuts, box)
    parts: list[Any] = []
    for numbers, block in zip(product(*ranges), blocks, strict=True):
        held = block_box(cuts, numbers)
        part = held.intersection(box)
        check_lengths(block, held.shape, part.shape)
        parts.append(block if block.shape == part.shape else block[part.index(held)])
    known = BlockFormat.of(blocks[0])
    assert known is not None
    for axis in reversed(range(len(ranges))):
        count = len(ranges[axis])
        rows = [parts[i : i + count] for i in range(0, len(parts), count)]
        parts = [row[0] if count == 1 else known.joined(row, axis) for row in rows]
    return parts[0]


def assemble_on_device(box: ZRange, cuts: tuple[Cuts, ...], blocks: Sequence[Any]) -> Any:
    """Return the cells `box`, from blocks on a device, in one array there."""
    if box.is_empty:
        return _no_cells(blocks[0], box)
    boxes = [block_box(cuts, numbers) for numbers in product(*block_range(cuts, box))]
    for block_cells, block in zip(boxes, blocks, strict=True):
        check_lengths(block, block_cells.shape, block_cells.intersection(box).shape)
    if len(boxes) == 1:
        part = boxes[0].intersection(box)
        return blocks[0] if blocks[0].shape == part.shape else blocks[0][part.index(boxes[0])]
    block_format = BlockFormat.of(blocks[0])
    assert block_format is not None
    result = block_format.beside(blocks[0], box.shape)
    for block_cells, block in zip(boxes, blocks, strict=True):
        part = block_cells.intersection(box)
        if part.is_empty:
            continue
        cells = block_format.of_block(block)
        result[part.slices(box)] = (
            cells if block.shape == part.shape else cells[part.index(block_cells)]
        )
    return result


def _no_cells(block: Any, box: ZRange) -> Any:
    """An array of a box without cells, in the format of a block."""
    if isinstance(block, Collected):
        return block.like(box.shape)
    known = BlockFormat.of(block)
    assert known is not None
    return known.holding(np.empty(box.shape, block.dtype))


def assemble(box: ZRange, cuts: tuple[Cuts, ...], blocks: Sequence[Block]) -> Block:
    """Return the cells `box` of a tensor from `blocks`, those of its blocks that meet the box."""
    if box.is_empty:
        return room_as(blocks[0], box.shape)
    ranges = block_range(cuts, box)
    if len(blocks) == 1:
        block_cells = block_box(cuts, tuple(r.start for r in ranges))
        check_lengths(blocks[0], block_cells.shape, box.shape)
        return with_all_cells(part_of(blocks[0], block_cells, box))
    boxes = [block_box(cuts, numbers) for numbers in product(*ranges)]
    for block_cells, block in zip(boxes, blocks, strict=True):
        if block.shape != block_cells.shape:
            check_lengths(block, block_cells.shape, block_cells.intersection(box).shape)
    hull = ZRange(boxes[0].lo, boxes[-1].hi)
    whole = joined(hull, boxes, blocks)
    if whole is not None:
        return part_of(whole, hull, box)
    result = room_as(blocks[0], box.shape)
    for block_cells, block in zip(boxes, blocks, strict=True):
        part = block_cells.intersection(box)
        result[part.slices(box)] = with_all_cells(part_of(block, block_cells, part))
    return result


def check_lengths(block: Any, *shapes: tuple[int, ...]) -> None:
    """Refuse a task's block of none of the shapes that it may have: one of somebody's own graph.

    Raises
    ------
    ShapeError
        If it has another shape, by which cells would be lost.
    """
    if block.shape not in shapes:
        raise ShapeError(
            f"a block of shape {block.shape} is given where the chunks of its array tell of "
            f"{shapes[0]}"
        )


def part_of(block: Block, held: ZRange, part: ZRange) -> Block:
    """Cells `part` of what is given: the block `held`, or a slice that has just those."""
    if block.shape == part.shape:
        return block
    return room_as(block, part.shape) if part.is_empty else cells_of(block, part.index(held))


def room_as(block: Block, shape: tuple[int, ...]) -> Block:
    """Cells to be written, of the kind that a block has."""
    return block.like(shape) if isinstance(block, Collected) else POOL.empty(shape, block.dtype)
