"""Grids: how the output of a step is cut into blocks.

Blocks start as the whole output. While they are too few for the
workers, too large, or above the memory bound, the dimension is cut whose cut makes all blocks
together take the least time to read and to compute; a tie goes to the cut that meets fewer blocks
of other steps, where they may lie elsewhere, then to the first dimension (in Fortran's order the
last), whose pieces are contiguous. What a block reads follows from its operators' projections, and
of a stored tensor whole chunks count, so cuts fall on chunk edges by themselves and are then
snapped to them exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, lcm, prod
from typing import Literal, NamedTuple

from dask_tapestry.errors import MemoryLimitError
from dask_tapestry.plan.footprint import Held, Needs, needs_of
from dask_tapestry.plan.machine import FLOPS_A_SECOND, MEMORY_BYTES_A_SECOND
from dask_tapestry.plan.program import Program, Schedule
from dask_tapestry.teg import Sink, Source
from dask_tapestry.zspace import Cuts, ZRange

ROUNDING = 1e-9  # of a score
SCATTERED = 0.05  # of the time of a cut that pieces lying apart add in one memory
REREAD = 0.25  # of all bytes: a cut may read so many again from stores, unless memory requires it


@dataclass(frozen=True)
class Aim:
    """What the blocks of a step should be.

    Attributes
    ----------
    count
        Blocks wanted, to keep every slot busy.
    slots
        Blocks that run at a time.
    smallest, largest
        Working set below which a block is not worth a task, and above which it is cut, in bytes.
    limit
        Working set that no block may exceed, in bytes.
    most
        Blocks above which cutting goes on only for `limit`.
    edges
        Blocks read by all blocks together, above which cutting goes on only for `limit`.
    local
        All blocks are in one memory: reading part of one moves no more than the part.
    bytes_a_second
        At which a block's input arrives.
    order
        In which the output lies in memory.
    """

    count: int
    smallest: int
    largest: int
    limit: int
    most: int
    edges: int
    local: bool = False
    slots: int = 1
    bytes_a_second: float = MEMORY_BYTES_A_SECOND
    order: Literal["C", "F"] = "C"


class Unit(NamedTuple):
    """Where cuts of a dimension should fall: after `lead` cells, then every `length`.

    With `required` they must: the pieces are written by one task each.
    """

    length: int = 1
    lead: int = 0
    required: bool = False


def choose_grid(
    program: Program, chunks: Held, aim: Aim, name: str
) -> tuple[tuple[Cuts, ...], str]:
    """Cut a step's output; return the cuts and why they are so.

    Cuts that make blocks read stored cells again are kept only where slots would else be idle and
    each block then reads no more than half.

    Raises
    ------
    MemoryLimitError
        If even the smallest block needs more memory than the limit.
    """
    shape = program.type.shape
    units = _units(program, chunks)
    pieces = [1] * len(shape)
    grid = _grid(shape, pieces, units)
    needs = needs_of(program, _largest(grid), chunks, aim.local)
    held = sum(cuts is not None for cuts in chunks)
    reason = "one block suffices"
    before: tuple[tuple[Cuts, ...], Needs] | None = None  # cells are read again
    while True:
        count = prod(c.count for c in grid)
        if needs.work > aim.limit:
            reason = "memory bound"
        elif count >= aim.most or needs.touched <= aim.smallest or count * needs.blocks > aim.edges:
            break
        elif needs.touched > aim.largest:
            reason = "block size"
        elif count < aim.count:
            if not aim.local and count >= aim.slots and 0 < needs.blocks <= held:
                reason = "blocks of other steps"  # finer ones would each take a part of one
                break
            reason = "workers"
        else:
            break
        better = _best_cut(program, chunks, pieces, units, aim)
        if better is None:
            if needs.work > aim.limit:
                raise MemoryLimitError(
                    f"{name}: its smallest block, {_largest(grid)} of {program.type}, needs "
                    f"{needs.work:,} bytes; the limit a task is {aim.limit:,}"
                )
            break
        again = better[2].stored * _equal_blocks(better[1]) - needs.stored * _equal_blocks(grid)
        if again > REREAD * needs.read * _equal_blocks(grid) and reason != "memory bound":
            before = before or (grid, needs)
            if count >= aim.slots:
                break
        pieces, grid, needs = better
    if before is not None and needs.stored > before[1].stored / 2:
        return before[0], "stored chunks"
    return grid, reason


def _best_cut(
    program: Program,
    chunks: Held,
    pieces: list[int],
    units: Sequence[Unit],
    aim: Aim,
) -> tuple[list[int], tuple[Cuts, ...], Needs] | None:
    """Halve the dimension whose halving makes all blocks read and compute least."""
    shape = program.type.shape
    now = _grid(shape, pieces, units)
    best = None
    for dim in range(len(shape))[:: 1 if aim.order == "C" else -1]:
        more = list(pieces)
        grid = now
        while grid[dim].count == now[dim].count and more[dim] < 2 * shape[dim]:
            more[dim] *= 2
            grid = _grid(shape, more, units)
        if grid[dim].count == now[dim].count:
            continue
        needs = needs_of(program, _largest(grid), chunks, aim.local)
        seconds = needs.read / aim.bytes_a_second + needs.flops / FLOPS_A_SECOND
        score = seconds * _equal_blocks(grid), needs.blocks * _equal_blocks(grid)
        if best is None or _is_less(score, best[0], aim):
            best = (score, more, grid, needs)
    return best[1:] if best else None


def _is_less(score: tuple[float, float], other: tuple[float, float], aim: Aim) -> bool:
    """Whether a score has fewer seconds, or else meets fewer blocks, by a margin."""
    (seconds, blocks), (others, met) = score, other
    if aim.local:
        return seconds < (1 - SCATTERED) * others
    return seconds < (1 - ROUNDING) * others or (seconds < (1 + ROUNDING) * others and blocks < met)


def _equal_blocks(grid: tuple[Cuts, ...]) -> float:
    """Number of blocks; a clipped one counts by its share of a full one."""
    return prod(c.extent / c.longest if c.longest else 1.0 for c in grid)


def _grid(shape: tuple[int, ...], pieces: list[int], units: Sequence[Unit]) -> tuple[Cuts, ...]:
    return tuple(_cut(n, p, unit) for n, p, unit in zip(shape, pieces, units, strict=True))


def _cut(extent: int, pieces: int, unit: Unit) -> Cuts:
    """About `pieces` pieces, with edges on those of `unit` where pieces are as long as it."""
    if pieces == 1 or extent < 2:
        return Cuts.regular(extent, max(extent, 1))
    step = -(-extent // pieces)
    if step < unit.length and not unit.required:
        step = -(-unit.length // -(-unit.length // step))  # equal parts of a unit
        return Cuts.regular(extent, step, (unit.lead - 1) % step + 1 if unit.lead else step)
    step = max(1, step // unit.length) * unit.length
    first = step - unit.length + unit.lead if unit.lead else step
    return Cuts.regular(extent, step, first)


def _largest(grid: tuple[Cuts, ...]) -> ZRange:
    """A block of the largest size."""
    spans = [
        next((c.block(i) for i in range(min(c.count, 3)) if _length(c, i) == c.longest), c.block(0))
        for c in grid
    ]
    return ZRange(tuple(a for a, _ in spans), tuple(b for _, b in spans))


def _length(cuts: Cuts, number: int) -> int:
    a, b = cuts.block(number)
    return b - a


def _units(program: Program, chunks: Held) -> tuple[Unit, ...]:
    """For each output dimension, the chunks its cuts should fall between."""
    shape = program.type.shape
    units = [Unit()] * len(shape)
    if 0 in shape:
        return tuple(units)
    origin = program.schedule(ZRange((0,) * len(shape), (1,) * len(shape)), rounded=False)
    holders = _chunked_values(program, chunks)
    for dim, extent in enumerate(shape):
        if extent < 2:
            continue
        at = tuple(int(d == dim) for d in range(len(shape)))
        moved = program.schedule(ZRange(at, tuple(a + 1 for a in at)), rounded=False)
        together = _together(program, origin, moved)
        if any(unit.length == 0 for unit in together):
            units[dim] = Unit(extent, 0, required=True)
            continue
        found = [(program.type.nbytes, unit) for unit in together]
        found += [
            (program.types[value].nbytes, unit._replace(required=required))
            for value, steps, required in holders
            if (unit := _follow(origin.boxes[value], moved.boxes[value], steps))
        ]
        units[dim] = common_unit(found)
    return tuple(units)


def _together(program: Program, origin: Schedule, moved: Schedule) -> list[Unit]:
    """The units of cells computed together that a step of the output moves; of length 0 for all."""
    found = []
    values = enumerate(program.granularity, start=len(program.inputs))
    for value, cells in ((value, cells) for value, cells in values if cells):
        here, there = origin.boxes[value], moved.boxes[value]
        for axis, length in enumerate(cells):
            edges = [{(box.lo[axis], box.hi[axis]) for box in boxes} for boxes in (here, there)]
            if edges[0] == edges[1] or length == 1:
                continue
            if length == 0:
                return [Unit(0)]
            unit = _follow_axis(here, there, axis, length)
            found += [unit._replace(required=True)] if unit else []
    return found


def common_unit(found: list[tuple[int, Unit]]) -> Unit:
    """The unit of the largest value, among those that keep to the required ones."""
    must = Unit()
    for _, unit in found:
        if unit.required:
            must = _meeting(must, unit)
    fitting = [
        (size, unit)
        for size, unit in found
        if unit.length % must.length == 0 and (unit.lead - must.lead) % must.length == 0
    ]
    best = max(fitting, key=lambda one: one[0], default=(0, must))[1]
    return best._replace(required=must.required)


def _meeting(one: Unit, other: Unit) -> Unit:
    """The unit whose edges are those of both; the first where they have none in common."""
    both = gcd(one.length, other.length)
    apart, odd = divmod(other.lead - one.lead, both)
    if odd:
        return one
    steps = apart * pow(one.length // both, -1, other.length // both) if other.length > both else 0
    length = lcm(one.length, other.length)
    lead = (one.lead + steps * one.length) % length
    return Unit(length, lead, one.required or other.required)


def _chunked_values(program: Program, chunks: Held) -> list[tuple[int, tuple[int, ...], bool]]:
    """Values that are held in chunks: number, chunk sides, whether cuts must fall on them."""
    found: list[tuple[int, tuple[int, ...], bool]] = [
        (value, tuple(c.step or 1 for c in cuts), False)
        for value, cuts in enumerate(chunks)
        if cuts is not None
    ]
    for number, instruction in enumerate(program.instructions):
        operator = instruction.operator
        if isinstance(operator, Source | Sink) and operator.chunks is not None:
            value = len(program.inputs) + number
            found.append((value, operator.chunks, isinstance(operator, Sink)))
    return found


def _follow(
    origin: tuple[ZRange, ...], moved: tuple[ZRange, ...], sides: tuple[int, ...]
) -> Unit | None:
    """Chunks in steps of the output, if one step moves the value by whole cells."""
    units = (_follow_axis(origin, moved, axis, side) for axis, side in enumerate(sides))
    return next((unit for unit in units if unit), None)


def _follow_axis(
    origin: tuple[ZRange, ...], moved: tuple[ZRange, ...], axis: int, side: int
) -> Unit | None:
    """The same along one axis of the value, whose pieces are `side` long."""
    if len(origin) != 1 or len(moved) != 1:
        return None
    start = origin[0].lo[axis]
    pace = moved[0].lo[axis] - start
    if pace > 0 and side > pace and side % pace == 0:
        return Unit(side // pace, -(-(-start % side) // pace))
    return None
