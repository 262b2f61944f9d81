"""Seconds of one thread for one block: its kernels, one after the other, at the rates of a machine.

What formulas hand each other stays in cache, as they run in tiles; what is read through a view is
as large as what lies behind it; and a view that walks memory across its rows costs by the cell.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from dask_tapestry.plan.machine import Machine
from dask_tapestry.plan.program import Program, Work
from dask_tapestry.teg import Operator
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange

ACROSS: Final = "across"  # the rate of cells that are read across rows; no kernel has that name


class _Held(NamedTuple):
    """How the cells of a value are read: bytes of memory behind them, and whether across rows."""

    bytes: int
    across: bool


def block_seconds(program: Program, box: ZRange, machine: Machine) -> float:
    """Seconds of one thread for the cells `box` of a program's output, but for stores."""
    first = len(program.inputs)
    schedule = program.schedule(box)
    cached = _in_cache(program)
    held: dict[tuple[int, ZRange], _Held] = {}
    for number, type_ in enumerate(program.inputs):
        for part in schedule.boxes[number]:
            held[number, part] = _Held(part.size * type_.dtype.itemsize, False)
    seconds = 0.0
    for work in schedule.works:
        operator, _, types, type_, _ = program.instructions[work.value - first]
        reads = [held[v, schedule.holder(v, need)] for v, need in work.reads]
        sizes = [need.size * program.types[v].dtype.itemsize for v, need in work.reads]
        read = sum(min(r.bytes, size) for r, size in zip(reads, sizes, strict=True))
        own = work.box.size * type_.dtype.itemsize
        if operator.is_view:
            across = reads[0].across != _turns(operator, types, work.box)
            held[work.value, work.box] = _Held(min(read, own), across)
            continue
        held[work.value, work.box] = _Held(0 if work.value in cached else own, False)
        dtype = types[0].dtype if types else type_.dtype
        flops = operator.flops(types, work.box)
        written = operator.block_bytes(type_, work.box) and held[work.value, work.box].bytes
        touched = read + written if written or flops else 0
        seconds += machine.seconds(operator.kernel, dtype, flops, touched)
        seconds += _across(program, work, reads, machine)
    return seconds + _copied(program, box, held, machine)


def _across(program: Program, work: Work, reads: list[_Held], machine: Machine) -> float:
    """Seconds beyond those of memory that reading across rows takes."""
    cells = sum(need.size for (_, need), r in zip(work.reads, reads, strict=True) if r.across)
    dtype = program.types[work.value].dtype
    return machine.seconds(ACROSS, dtype, cells, 0) if cells else 0.0


def _copied(
    program: Program, box: ZRange, held: dict[tuple[int, ZRange], _Held], machine: Machine
) -> float:
    """Seconds to copy a block that is a view, or an array of somebody else's, to where it goes."""
    last, first = len(program.types) - 1, len(program.inputs)
    operator = program.instructions[-1].operator if program.instructions else None
    if box.is_empty or (
        operator is not None and (operator.block_bytes(program.type, box) or not operator.is_view)
    ):
        return 0.0
    found = held[last, box] if last >= first else _Held(0, False)
    own = box.size * program.type.dtype.itemsize
    seconds = machine.seconds("", program.type.dtype, 0, own + min(own, found.bytes))
    across = machine.seconds(ACROSS, program.type.dtype, box.size, 0) if found.across else 0.0
    return seconds + across


def _turns(operator: Operator, types: Types, box: ZRange) -> bool:
    """Whether a view's rows lie across the rows of its input."""
    mapped = operator.cell_map(types)
    if mapped is None or not box.ndim or not types[0].ndim:
        return False
    along = max((d for d in range(box.ndim) if box.shape[d] > 1), default=-1)
    moved = [axis for axis, row in enumerate(mapped.matrix) if along >= 0 and row[along]]
    return bool(moved) and any(n > 1 for n in types[0].shape[moved[-1] + 1 :])


@lru_cache(maxsize=1024)
def _in_cache(program: Program) -> frozenset[int]:
    """Values of formulas that formulas alone read, themselves or through views."""
    first = len(program.inputs)
    wanted: set[int] = {len(program.types) - 1}
    found: set[int] = set()
    for value in range(len(program.types) - 1, first - 1, -1):
        operator, inputs, *_ = program.instructions[value - first]
        inner = value not in wanted
        if inner and operator.is_formula:
            found.add(value)
        if not (operator.is_formula or (operator.is_view and inner)):
            wanted.update(inputs)
    return frozenset(found)
