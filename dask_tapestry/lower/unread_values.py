"""Values of sources that are not read as blocks: what folds them reads them part by part."""

from __future__ import annotations

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
    """Whether a box of a value is more than a cache holds, and any part of it is read alone."""
    source = instruction.operator
    if not isinstance(source, Source) or not (source.is_plain and source.fills):
        return False
    return box.size * instruction.type.dtype.itemsize >= LEAST_UNREAD_BYTES


def unread_cells(instruction: Instruction, work: Work) -> UnreadCells:
    """What a source would read, as cells that are read part by part, by kernels that take them.

    Parts come in memory that is used again.
    """

    def reading(spans: tuple[Span, ...]) -> Block:
        box = work.box
        lo = [start + low for start, (low, _) in zip(box.lo, spans, strict=True)]
        part = ZRange(lo, [start + high for start, (_, high) in zip(box.lo, spans, strict=True)])
        read: Block = called(
            instruction, Work(work.value, part, ()), [], memory_for(instruction, part)
        )
        return read

    return UnreadCells.of(work.box.shape, instruction.type.dtype, reading)
