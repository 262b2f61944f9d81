"""Values that are not made as blocks: what folds them reads, or takes, them part by part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry.lower.instruction_call import called, memory_for
from dask_tapestry.lower.tuning import LEAST_UNREAD_BYTES
from dask_tapestry.steps.instruction_schedule import Work
from dask_tapestry.steps.program import Instruction
from dask_tapestry.teg import Source
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.unread_cells import Span, UnreadCells

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

    def reading(spans: tuple[Span, ...]) -> Block:
        lo = [start + low for start, (low, _) in zip(work.box.lo, spans, strict=True)]
        hi = [start + high for start, (_, high) in zip(work.box.lo, spans, strict=True)]
        part = ZRange(lo, hi)
        needs = [box for _, box in operator.pieces(types, part)]
        reads = [(value, box) for (value, _), box in zip(work.reads, needs, strict=True)]
        own = [
            block[box.index(whole)]
            for block, whole, box in zip(blocks, work.boxes, needs, strict=True)
        ]
        memory = memory_for(instruction, part)
        made: Block = called(instruction, Work(work.value, part, tuple(reads)), own, memory)
        return made

    return UnreadCells.of(work.box.shape, instruction.type.dtype, reading)
