"""Seconds of one thread for one block: its kernels, one after the other, at the rates of a machine.

What formulas hand each other stays in cache, as they run in tiles; what is read through a view is
as large as what lies behind it; a view that walks memory across its rows costs by the cell, and a
part of an array whose rows do not follow each other by the row. Parts of several blocks are joined
first. On a device what its kernels read is theirs; what the host computes for it is added, what
crosses the link between them has seconds of its own. A product packs its factors into an order of
its own before it begins.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from dask_tapestry.planner.cost.footprint import met_blocks
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.tuning import ROW_BYTES
from dask_tapestry.steps.chunk_alignment import Held
from dask_tapestry.steps.device_values import value_places
from dask_tapestry.steps.instruction_schedule import InstructionSchedule
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Operator
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange

ACROSS: Final = "across"  # the rate of cells that are read across rows; no kernel has that name
Order: TypeAlias = Literal["C", "F"]


class _Held(NamedTuple):
    """How the cells of a value are read.

    Attributes
    ----------
    bytes
        Of memory behind them.
    across
        Whether they are read across the rows they lie in.
    rows
        Seconds that going from row to row takes, where these do not follow each other.
    origin
        The place of the part of a value that it shows.
    """

    bytes: int
    across: bool = False
    rows: float = 0.0
    origin: int = -1


NOTHING: Final = _Held(0)  # of a value of which no cell is read


class _Value(NamedTuple):
    """What is true of a computed value in every block.

    `across` says of a view, for each of its dimensions, whether neighbours along it lie in
    different rows of what it shows; None for other values. `flops` says whether it does operations.
    """

    itemsize: int
    dtype: np.dtype[Any]  # of the cells that are read
    cached: bool
    across: tuple[bool, ...] | None
    flops: bool


def block_seconds(
    program: Program, box: ZRange, machine: Machine, cuts: Held = (), order: Order = "C"
) -> float:
    """Seconds of one thread for the cells `box` of a program's output, but for stores and links.

    Parameters
    ----------
    cuts
        Those in which its inputs are held; by default they lie in this process, whole.
    order
        In which inputs and output lie in memory.
    """
    held = tuple([None if own is None else tuple(own) for own in cuts])
    return _block_seconds(program, box, machine, held, order)


@lru_cache(maxsize=4096)  # for the least that a grid takes, and again when it is priced
def _block_seconds(
    program: Program, box: ZRange, machine: Machine, cuts: Held, order: Order
) -> float:
    return sum(_seconds(program, box, machine, cuts, order))


def kernel_seconds(program: Program, box: ZRange, machine: Machine) -> float:
    """The seconds of kernels alone, whatever the layout: a lower bound for blocks of a box."""
    return _seconds(program, box, machine, (), "C").kernels


class _Seconds(NamedTuple):
    """The seconds of kernels, and those of strided access and of joining and copying blocks."""

    kernels: float
    layout: float


def _seconds(program: Program, box: ZRange, machine: Machine, cuts: Held, order: Order) -> _Seconds:
    own = cuts or (None,) * len(program.inputs)
    inputs, joining = _inputs(program, program.schedule(box), own, machine, order)
    return _seconds_with(program, box, machine, order, tuple(inputs), joining)


@lru_cache(maxsize=4096)  # of ways to hold inputs, up to a third are read alike
def _seconds_with(
    program: Program,
    box: ZRange,
    machine: Machine,
    order: Order,
    inputs: tuple[_Held, ...],
    joining: float,
) -> _Seconds:
    """The seconds of a block, to whose layout those of `joining` inputs belong, that lie so."""
    first, schedule = len(program.inputs), program.schedule(box)
    values, places = _values(program), schedule.places
    memory_of = [*inputs, *[NOTHING] * (places.total - len(inputs))]
    kernels, layout, where = 0.0, joining, value_places(program)
    result = len(program.types) - 1
    for work, at, reading in zip(schedule.works, places.made, places.read, strict=True):
        number, own_box, needs = work
        value, computing = values[number - first], machine
        operator, _, types, type_, *_ = program.instructions[number - first]
        reads = [NOTHING if place is None else memory_of[place] for place in reading]
        flops = operator.flops(types, own_box) if value.flops else 0
        bytes_read = _bytes_read(program, needs, reads, flops)
        own = own_box.size * value.itemsize
        rows = max([r.rows for r in reads], default=0.0)
        if value.across is not None:
            turned = reads[0].across != _is_across(value.across, own_box)
            memory_of[at] = _Held(min(bytes_read, own), turned, rows, reads[0].origin)
            continue
        if program.passes(work):
            pairs = zip(needs, reads, strict=True)
            (memory_of[at],) = [read for (_, need), read in pairs if not need.is_empty]
            continue
        kept = 0 if value.cached else own
        through = rows if value.cached else 0.0
        memory_of[at] = _Held(kept, False, through, at)
        written = kept if operator.block_bytes(type_, own_box) else 0
        touched = bytes_read + written if written or flops else 0
        if where is not None and where.reads[number - first] is None:
            computing = machine.host or machine
        kernels += computing.seconds(operator.kernel, value.dtype, flops, touched)
        if operator.multithreaded:
            kernels += touched / machine.memory
        if number == result and machine.local and written:
            own_rows = _row_seconds(own_box, type_.shape, type_.dtype.itemsize, machine, order)
            rows = max(rows, own_rows)
        layout += 0.0 if value.cached else rows
        cells = sum([n.size for (_, n), r in zip(needs, reads, strict=True) if r.across])
        if cells:
            layout += machine.seconds(ACROSS, type_.dtype, cells, 0)
    return _Seconds(kernels, layout + _copied(program, box, memory_of[-1], machine))


def _inputs(
    program: Program, schedule: InstructionSchedule, cuts: Held, machine: Machine, order: Order
) -> tuple[list[_Held], float]:
    """How the parts of inputs that a block needs are held, in order, and seconds to join them."""
    memory_of: list[_Held] = []
    joined = 0
    for number, (type_, own) in enumerate(zip(program.inputs, cuts, strict=True)):
        size = type_.dtype.itemsize
        sides = type_.shape if own is None else [c.longest for c in own]
        for part in schedule.boxes[number]:
            rows, cells = 0.0, part.size * size
            if own is not None and met_blocks(part, own) > 1:
                joined += cells
            else:
                rows = _row_seconds(part, sides, size, machine, order)
            memory_of.append(_Held(cells, False, rows, len(memory_of)))
    return memory_of, 2 * joined / machine.memory


def _row_seconds(
    box: ZRange, sides: Sequence[int], itemsize: int, machine: Machine, order: Order
) -> float:
    """Seconds that rows take beyond those that follow each other, in an array with such `sides`."""
    run = itemsize
    dims = range(len(sides))
    for dim in dims if order == "F" else reversed(dims):
        length = box.hi[dim] - box.lo[dim]
        run *= length
        if length < sides[dim]:
            break
    rows = box.size * itemsize / run - 1 if run else 0.0
    return max(0.0, rows) * machine.row * min(1.0, run / ROW_BYTES)


def _bytes_read(
    program: Program, needs: Sequence[tuple[int, ZRange]], reads: Sequence[_Held], flops: int
) -> int:
    """Bytes that a work reads from memory.

    An operation reads no more than a cell of each input; views of one part along its rows, like
    those of a stencil, read it together.
    """
    bytes_by_origin: dict[tuple[bool, int], int] = {}
    for number, ((v, need), found) in enumerate(zip(needs, reads, strict=True)):
        cells = min(need.size, flops) if flops else need.size
        own = min(found.bytes, cells * program.types[v].dtype.itemsize)
        key = (True, number) if found.across else (False, found.origin)
        if own > bytes_by_origin.get(key, -1):
            bytes_by_origin[key] = own
    return sum(bytes_by_origin.values())


def _copied(program: Program, box: ZRange, result: _Held, machine: Machine) -> float:
    """Seconds to copy a block that is a view, or an array of somebody else's, to where it goes."""
    if box.is_empty or (program.instructions and not program.instructions[-1].operator.is_view):
        return 0.0
    own, dtype = box.size * program.type.dtype.itemsize, program.type.dtype
    seconds = machine.seconds("", dtype, 0, own + min(own, result.bytes))
    return seconds + (machine.seconds(ACROSS, dtype, box.size, 0) if result.across else 0.0)


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
            program.lasting[number].flops,
        )
        for number, (operator, _, types, type_, *_) in enumerate(program.instructions)
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
    outside: set[int] = {len(program.types) - 1}
    cached_values: set[int] = set()
    for value in range(len(program.types) - 1, first - 1, -1):
        operator, inputs, *_ = program.instructions[value - first]
        inner = value not in outside
        if inner and operator.is_formula:
            cached_values.add(value)
        if not (operator.is_formula or (operator.is_view and inner)):
            outside.update(inputs)
    return frozenset(cached_values)
