"""Seconds of one thread for one block: its kernels, one after the other, at the rates of a machine.

What formulas hand each other stays in cache, as they run in tiles; what is read through a view is
as large as what lies behind it; and a view that walks memory across its rows costs by the cell.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.plan.machine import Machine
from dask_tapestry.plan.program import Program
from dask_tapestry.teg import Operator
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange

ACROSS: Final = "across"  # the rate of cells that are read across rows; no kernel has that name


class _Held(NamedTuple):
    """How the cells of a value are read: bytes of memory behind them, and whether across rows."""

    bytes: int
    across: bool


class _Value(NamedTuple):
    """What is true of a computed value in every block.

    `across` says of a view, for each of its dimensions, whether neighbours along it lie in
    different rows of what it shows; None for other values.
    """

    itemsize: int
    dtype: np.dtype[Any]  # of the cells that are read
    cached: bool
    across: tuple[bool, ...] | None


def block_seconds(program: Program, box: ZRange, machine: Machine) -> float:
    """Seconds of one thread for the cells `box` of a program's output, but for stores."""
    first = len(program.inputs)
    schedule = program.schedule(box)
    values = _values(program)
    held: list[dict[ZRange, _Held]] = [{} for _ in schedule.boxes]
    for number, type_ in enumerate(program.inputs):
        for part in schedule.boxes[number]:
            held[number][part] = _Held(part.size * type_.dtype.itemsize, False)
    seconds = 0.0
    for work in schedule.works:
        value = values[work.value - first]
        reads = [held[v][schedule.holder(v, need)] for v, need in work.reads]
        read = 0
        for (v, need), found in zip(work.reads, reads, strict=True):
            read += min(found.bytes, need.size * program.types[v].dtype.itemsize)
        own = work.box.size * value.itemsize
        if value.across is not None:
            turned = reads[0].across != _is_across(value.across, work.box)
            held[work.value][work.box] = _Held(min(read, own), turned)
            continue
        kept = 0 if value.cached else own
        held[work.value][work.box] = _Held(kept, False)
        operator, _, types, type_, _ = program.instructions[work.value - first]
        flops = operator.flops(types, work.box)
        written = kept if operator.block_bytes(type_, work.box) else 0
        touched = read + written if written or flops else 0
        seconds += machine.seconds(operator.kernel, value.dtype, flops, touched)
        cells = sum([n.size for (_, n), r in zip(work.reads, reads, strict=True) if r.across])
        if cells:
            seconds += machine.seconds(ACROSS, type_.dtype, cells, 0)
    return seconds + _copied(program, box, held[-1], machine)


def _copied(program: Program, box: ZRange, held: dict[ZRange, _Held], machine: Machine) -> float:
    """Seconds to copy a block that is a view, or an array of somebody else's, to where it goes."""
    if box.is_empty or (program.instructions and not program.instructions[-1].operator.is_view):
        return 0.0
    own, dtype = box.size * program.type.dtype.itemsize, program.type.dtype
    found = held.get(box) or _Held(own, False)
    seconds = machine.seconds("", dtype, 0, own + min(own, found.bytes))
    return seconds + (machine.seconds(ACROSS, dtype, box.size, 0) if found.across else 0.0)


def _is_across(across: tuple[bool, ...], box: ZRange) -> bool:
    """Whether cells of a view that follow each other lie in different rows of what it shows."""
    for dim in range(len(across) - 1, -1, -1):
        if box.hi[dim] - box.lo[dim] > 1:
            return across[dim]
    return False


@lru_cache(maxsize=1024)
def _values(program: Program) -> tuple[_Value, ...]:
    """What is true of each computed value of a program."""
    cached, first = _in_cache(program), len(program.inputs)
    return tuple(
        _Value(
            type_.dtype.itemsize,
            types[0].dtype if types else type_.dtype,
            first + number in cached,
            _across_by_dim(operator, types, type_.ndim) if operator.is_view else None,
        )
        for number, (operator, _, types, type_, _) in enumerate(program.instructions)
    )


def _across_by_dim(operator: Operator, types: Types, ndim: int) -> tuple[bool, ...]:
    mapped = operator.cell_map(types)
    if mapped is None:
        return (False,) * ndim
    shape = types[0].shape
    found = []
    for dim in range(ndim):
        moved = [axis for axis, row in enumerate(mapped.matrix) if row[dim]]
        found.append(bool(moved) and any(n > 1 for n in shape[moved[-1] + 1 :]))
    return tuple(found)


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
