"""Values that are not made as blocks: what folds them reads, or takes, them part by part."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from dask_tapestry.lower.instruction_call import called, memory_for
from dask_tapestry.lower.tuning import LEAST_UNREAD_BYTES
from dask_tapestry.steps.instruction_schedule import Work
from dask_tapestry.steps.program import Instruction
from dask_tapestry.teg import Source
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.unread_cells import Lines, Span, UnreadCells

Block = np.ndarray[Any, Any]


def is_worth_parts(instruction: Instruction, box: ZRange) -> bool:
    """Whether a box of a value is more than a cache holds, and any part of it is made alone."""
    operator = instruction.operator
    if isinstance(operator, Source):
        parts = operator.is_plain and operator.fills
    else:
        parts = operator.made_in_parts
    return parts and box.size * instruction.type.dtype.itemsize >= LEAST_UNREAD_BYTES


def unread_cells(instruction: Instruction, work: Work, blocks: Sequence[Block]) -> UnreadCells:
    """What an instruction would make of `blocks`, as cells that kernels read part by part.

    Parts come in memory that is used again.
    """
    operator, types = instruction.operator, instruction.types

    def within(spans: tuple[Span, ...]) -> ZRange:
        lo = [start + low for start, (low, _) in zip(work.box.lo, spans, strict=True)]
        hi = [start + high for start, (_, high) in zip(work.box.lo, spans, strict=True)]
        return ZRange(lo, hi)

    def reading(spans: tuple[Span, ...]) -> Block:
        part = within(spans)
        needs = [box for _, box in operator.pieces(types, part)]
        reads = [(value, box) for (value, _), box in zip(work.reads, needs, strict=True)]
        own = [
            block[box.index(whole)]
            for block, whole, box in zip(blocks, work.boxes, needs, strict=True)
        ]
        memory = memory_for(instruction, part)
        made: Block = called(instruction, Work(work.value, part, tuple(reads)), own, memory)
        return made

    def opening(spans: tuple[Span, ...]) -> AbstractContextManager[tuple[int, int] | None]:
        assert isinstance(operator, Source)
        return operator.opened(within(spans))

    lines = _lines(instruction, work, blocks)
    opens = opening if isinstance(operator, Source) and operator.is_plain else None
    return UnreadCells.of(work.box.shape, instruction.type.dtype, reading, lines, opens)


def _lines(instruction: Instruction, work: Work, blocks: Sequence[Block]) -> Lines | None:
    """The lines of the first block that the second one names, where it does."""
    operator, types = instruction.operator, instruction.types
    axis = operator.gathers(types) if len(blocks) == 2 else None
    if axis is None or not all(type(block) is np.ndarray for block in blocks):
        return None
    block, numbers = blocks
    return Lines(block, numbers, axis, types[0].shape[axis], work.boxes[0].lo[axis])
