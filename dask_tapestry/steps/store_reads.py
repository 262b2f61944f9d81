"""Reads of a block's pieces from stores, ahead of being computed."""

from __future__ import annotations

from dask_tapestry.steps.instruction_schedule import Work
from dask_tapestry.steps.program import Program
from dask_tapestry.zspace import ZRange


def read_from_stores(program: Program, piece: ZRange) -> list[Work]:
    """The computations of a piece that read from stores."""
    first = len(program.inputs)
    return [
        work
        for work in program.schedule(piece).works
        if program.instructions[work.value - first].operator.stored_bytes(work.box)
    ]


def bytes_from_stores(program: Program, piece: ZRange) -> int:
    """Bytes that a piece takes while it reads from stores."""
    total = 0
    for value, box, _ in read_from_stores(program, piece):
        operator, _, types, type_, *_ = program.instruction(value)
        total += operator.block_bytes(type_, box) + operator.scratch_bytes(types, box)
    return total
