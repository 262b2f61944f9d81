"""Reads of a block's pieces from stores, ahead of being computed."""

from __future__ import annotations

from collections.abc import Sequence

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


def more_at_ends(program: Program, edges: Sequence[tuple[int, ...]], piece: ZRange) -> int:
    """Bytes by which reading the first or the last piece may take more than this one does.

    A block may begin and end within a stored chunk, which is not decoded in place then.
    """
    spans = [(line[:2], line[-2:]) for line in edges]
    ends = [ZRange([n[0] for n in own], [n[1] for n in own]) for own in zip(*spans, strict=True)]
    most = max([_scratch_bytes(program, end) for end in ends], default=0)
    return max(0, most - _scratch_bytes(program, piece)) if most else 0


def _scratch_bytes(program: Program, piece: ZRange) -> int:
    found = 0
    for value, box, _ in read_from_stores(program, piece):
        operator, _, types, *_ = program.instruction(value)
        found += operator.scratch_bytes(types, box)
    return found
