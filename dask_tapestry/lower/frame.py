"""Frames: one box of a program's output that the walk computes, with the values that are there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from dask_tapestry.lower.values_until_last_use import Block, Blocks, Cells, ValuesUntilLastUse
from dask_tapestry.steps.block_schedule import BlockSchedule, Entry
from dask_tapestry.steps.instruction_schedule import Work
from dask_tapestry_kernels.block_format import is_foreign


class Frame(NamedTuple):
    """A box to compute.

    Attributes
    ----------
    held
        The values of the program.
    entries
        What is run, in order.
    out
        Memory for the output, if there is some.
    """

    held: ValuesUntilLastUse
    entries: Iterable[Entry]
    out: Any


def block_frame(block: BlockSchedule, given: Blocks, out: Block | None) -> Frame:
    """A block all of whose inputs are `given`."""
    return _frame(block, given, None, out)


def piece_frame(block: BlockSchedule, read: Blocks, outer: Cells, out: Block | None) -> Frame:
    """A piece of a block whose inputs are held outside, and some values were `read` ahead.

    Inputs that instructions of its own read go when they are not needed any more.
    """
    first = len(block.program.inputs)
    works = [entry for entry in block.entries if isinstance(entry, Work)]
    inputs = {source for work in works for source, _ in work.reads if source < first}
    read.update({(s, box): outer(s, box) for s in inputs for box in block.schedule.boxes[s]})
    return _frame(block, read, outer, out)


def _frame(block: BlockSchedule, blocks: Blocks, outer: Cells | None, out: Block | None) -> Frame:
    held = ValuesUntilLastUse(block.program, block.schedule, blocks, outer)
    tiles = block.in_tiles
    if tiles is None or not _suit_tiles(held):
        return Frame(held, block.entries, out)
    return Frame(held, tiles, out)


def _suit_tiles(held: ValuesUntilLastUse) -> bool:
    """Whether tiles can be read of a block's inputs: all are here, as arrays of the host."""
    inputs, blocks = enumerate(held.schedule.boxes[: len(held.program.inputs)]), held.blocks
    if not all((value, box) in blocks for value, boxes in inputs for box in boxes):
        return False
    return held.program.device is None and not any(map(is_foreign, blocks.values()))
