"""Classes of blocks: whether blocks of a domain need the same boxes, moved in proportion.

The schedules of a block and of its neighbour along each way tell how every box moves. Those of all
other blocks follow from what operators declare of their regularity: no box may sweep over a break,
each must move by whole periods, and boxes of one value that are merged must move together. Where
one of these fails, the domain is divided, and the parts are studied.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from math import gcd, lcm
from operator import add, sub

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.access.domain import Band, Domain, Place
from dask_tapestry.planner.access.moving_box_overlap import ShiftedBox, proximity_band
from dask_tapestry.planner.tuning import MOST_STARTS
from dask_tapestry.steps.boxes import rounded_out
from dask_tapestry.steps.instruction_schedule import InstructionSchedule
from dask_tapestry.steps.program import Program
from dask_tapestry.teg.regularity import ANYWHERE, Regular, Regularity
from dask_tapestry.zspace import Cuts, ZRange, block_box

Shift = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class TranslatedBlocks:
    """Blocks whose needs are those of one of them, moved.

    Attributes
    ----------
    domain
        The blocks.
    place
        The one whose schedule is known.
    schedule
        What that one needs.
    shifts
        For each way, how every box of every value moves with a step; () along ways of one block.
    """

    domain: Domain
    place: Place
    schedule: InstructionSchedule
    shifts: tuple[tuple[tuple[Shift, ...], ...], ...]


@dataclass
class DomainSplit:
    """How to divide a domain.

    Attributes
    ----------
    starts
        For each way that is cut, where parts begin.
    strides
        For each way whose blocks differ by the remainder of their place: the divisor.
    band
        The diagonals that are apart.
    """

    starts: dict[int, set[int]] = field(default_factory=dict)
    strides: dict[int, int] = field(default_factory=dict)
    band: Band | None = None

    def __bool__(self) -> bool:
        return bool(self.starts or self.strides or self.band)

    def cut(self, way: int, starts: Sequence[int]) -> None:
        """Let parts begin at places along a way."""
        self.starts.setdefault(way, set()).update(starts)


def study(
    program: Program,
    cuts: Sequence[Cuts],
    domain: Domain,
    known: Sequence[Regularity | None],
) -> TranslatedBlocks | DomainSplit:
    """Tell how the needs of a domain's blocks move, or how it must be divided first.

    Parameters
    ----------
    known
        The regularity of each instruction.
    """
    if reads_in_place(program):
        return _in_place(program, cuts, domain)
    division = DomainSplit()
    for index, turns in _sample_blocks(domain):
        schedule, moved_schedule = _schedules(program, cuts, domain, index, turns)
        shifts = [
            None if other is None else shifts_between(schedule, other, turn)
            for turn, other in zip(turns, moved_schedule, strict=True)
        ]
        differ = [
            w for w, other in enumerate(moved_schedule) if other is not None and shifts[w] is None
        ]
        if not differ:
            break
        division = DomainSplit()
        for way in differ:
            division.cut(way, (index[way] + max(0, turns[way]),))
    else:
        return division or _split_along_band(domain)
    division = DomainSplit()
    blocks = TranslatedBlocks(domain, index, schedule, tuple([moved or () for moved in shifts]))
    _follow_rules(program, blocks, known, division)
    _keep_apart(program, blocks, moved_schedule, turns, division)
    return division or blocks


@lru_cache(maxsize=1024)
def reads_in_place(program: Program) -> bool:
    """Whether every box that a block needs is its own."""
    return all(i.operator.is_formula or not i.inputs for i in program.instructions)


def _in_place(program: Program, cuts: Sequence[Cuts], domain: Domain) -> TranslatedBlocks:
    """Blocks whose boxes are all their own."""
    own = block_box(cuts, domain.first)
    values = len(program.types)
    shifts = []
    for way in domain.ways:
        number = tuple(map(add, domain.first, way.step))
        shift = shift_between(own, block_box(cuts, number)) if way.count > 1 else None
        shifts.append(((shift,),) * values if shift is not None else ())
    return TranslatedBlocks(domain, (0,) * len(domain.ways), program.schedule(own), tuple(shifts))


def _sample_blocks(domain: Domain) -> Iterator[tuple[Place, tuple[int, ...]]]:
    """Places, and for each along each way whether its neighbour is before or behind; off the band.

    First one that is on no main diagonal, where boxes may meet that do not elsewhere.
    """
    counts = [way.count for way in domain.ways]
    band = domain.band
    if band is None:
        turns = tuple([int(n > 1) for n in counts])
        skew = tuple([(n - 1) // (2 + 2 * number) for number, n in enumerate(counts)])
        middle = tuple([(n - 1) // 2 for n in counts])
        for index in dict.fromkeys((skew, middle)):
            yield index, turns
        return
    for sign in (1, -1):
        last = [n - 1 if c * sign > 0 else 0 for n, c in zip(counts, band.factors, strict=True)]
        sides = zip(last, counts, band.factors, strict=True)
        index = tuple([at if c else (n - 1) // 2 for at, n, c in sides])
        ends = zip(index, counts, strict=True)
        turns = tuple([0 if n == 1 else (-1 if at and at == n - 1 else 1) for at, n in ends])
        if not any(_moved(index, way, turn) in band for way, turn in enumerate(turns)):
            yield index, turns


def _schedules(
    program: Program, cuts: Sequence[Cuts], domain: Domain, place: Place, turns: Sequence[int]
) -> tuple[InstructionSchedule, list[InstructionSchedule | None]]:
    """The schedules of the block at a place, and of its neighbour along each way that has one."""

    def schedule(at: Place) -> InstructionSchedule:
        return program.schedule(block_box(cuts, domain.block(at)))

    others = [schedule(_moved(place, w, turn)) if turn else None for w, turn in enumerate(turns)]
    return schedule(place), others


def _moved(place: Place, way: int, turn: int) -> Place:
    return (*place[:way], place[way] + turn, *place[way + 1 :])


def shifts_between(
    here: InstructionSchedule, there: InstructionSchedule, turn: int = 1
) -> tuple[tuple[Shift, ...], ...] | None:
    """How each box of each value moves from one schedule to another; None if they differ else."""
    shifts = []
    for own, other in zip(here.boxes, there.boxes, strict=True):
        if len(own) != len(other):
            return None
        moved = []
        for a, b in zip(own, other, strict=True):
            shift = shift_between(a, b, turn)
            if shift is None:
                return None
            moved.append(shift)
        shifts.append(tuple(moved))
    return tuple(shifts)


def shift_between(a: ZRange, b: ZRange, turn: int = 1) -> Shift | None:
    """How box `a` moves to `b`, or backwards for a `turn` of -1; None if their shapes differ."""
    shift = tuple(map(sub, b.lo, a.lo))
    if shift != tuple(map(sub, b.hi, a.hi)):
        return None
    return shift if turn > 0 else tuple([-n for n in shift])


def _split_along_band(domain: Domain) -> DomainSplit:
    """Each block by itself along the shortest way of the band: it leaves nothing off the band."""
    assert domain.band is not None
    ways = [w for w, c in enumerate(domain.band.factors) if c and domain.ways[w].count > 1]
    division = DomainSplit()
    shortest = min(ways, key=lambda way: domain.ways[way].count)
    division.cut(shortest, range(domain.ways[shortest].count))
    return division


def _follow_rules(
    program: Program,
    blocks: TranslatedBlocks,
    known: Sequence[Regularity | None],
    division: DomainSplit,
) -> None:
    """Divide where a box would sweep over a break, or move by less than a period."""
    first = len(program.inputs)
    schedule = blocks.schedule
    ways = [way for way, moved in enumerate(blocks.shifts) if moved]
    for number, instruction in enumerate(program.instructions):
        if not instruction.inputs:
            continue
        value = first + number
        rules = known[number]
        for at, box in enumerate(schedule.boxes[value]):
            moves = {way: blocks.shifts[way][value][at] for way in ways}
            for axis in range(box.ndim):
                rule = None if rules is None else rules[axis]
                pace = {way: shift[axis] for way, shift in moves.items() if shift[axis]}
                if rule is None:
                    for way in pace:
                        division.cut(way, range(blocks.domain.ways[way].count))
                elif pace and rule is not ANYWHERE:
                    _follow_rule(rule, (box.lo[axis], box.hi[axis]), pace, blocks, division)


def _follow_rule(
    rule: Regular,
    span: tuple[int, int],
    pace: dict[int, int],
    blocks: TranslatedBlocks,
    division: DomainSplit,
) -> None:
    if rule.period > 1:
        for way, step in pace.items():
            stride = rule.period // gcd(step, rule.period)
            if stride > 1:
                division.strides[way] = lcm(stride, division.strides.get(way, 1))
    if not rule.breaks:
        return
    low, high = span
    for way, step in pace.items():
        behind = (blocks.domain.ways[way].count - 1 - blocks.place[way]) * step
        before = -blocks.place[way] * step
        low, high = low + min(behind, before), high + max(behind, before)
    at = bisect_right(rule.breaks, low)
    inside = rule.breaks[at : at + MOST_STARTS]
    if not inside or inside[0] >= high:
        return
    if len(pace) > 1:
        widest = max(pace, key=lambda way: abs(pace[way]) * (blocks.domain.ways[way].count - 1))
        division.cut(widest, (blocks.domain.ways[widest].count // 2,))
        return
    ((way, step),) = pace.items()
    for edge in inside:
        if edge >= high:
            break
        division.cut(way, _straddling(span, step, edge, blocks.place[way]))


def _straddling(span: tuple[int, int], step: int, edge: int, place: int) -> range:
    """Places at which a moving span straddles `edge`, and the first one beyond.

    A span without cells straddles the edge that it lies on.
    """
    low, high = span
    if low == high:
        low, high = low - 1, high + 1
    if step > 0:
        return range(place + (edge - high) // step + 1, place - (low - edge) // step + 1)
    return range(place + (low - edge) // -step + 1, place - (edge - high) // -step + 1)


def _keep_apart(
    program: Program,
    blocks: TranslatedBlocks,
    there: Sequence[InstructionSchedule | None],
    turns: Sequence[int],
    division: DomainSplit,
) -> None:
    """Divide where boxes of one value move apart, so that they are merged here and not there."""
    reads: dict[int, list[ShiftedBox]] = {}
    ways = [way for way, neighbour in enumerate(there) if neighbour is not None]
    neighbours = [there[way] for way in ways]
    for number, work in enumerate(blocks.schedule.works):
        for at, (source, box) in enumerate(work.reads):
            if box.is_empty:
                continue
            shifts = []
            for way, neighbour in zip(ways, neighbours, strict=True):
                assert neighbour is not None
                shift = shift_between(box, neighbour.works[number].reads[at][1], turns[way])
                if shift is None:
                    division.cut(way, (blocks.place[way] + max(0, turns[way]),))
                    return
                shifts.append(shift)
            reads.setdefault(source, []).append(ShiftedBox(box, tuple(shifts)))
    for source, moving in reads.items():
        held = _rounded(program, source, moving, ways, blocks, division)
        if len({m.shifts for m in held}) > 1:
            _part(held, ways, blocks, division)


def _rounded(
    program: Program,
    value: int,
    moving: Sequence[ShiftedBox],
    ways: Sequence[int],
    blocks: TranslatedBlocks,
    division: DomainSplit,
) -> Sequence[ShiftedBox]:
    """The boxes in which what is read of a value is computed; divided where these move unevenly."""
    first = len(program.inputs)
    together = program.granularity[value - first] if value >= first else None
    if together is None:
        return moving
    shape = program.types[value].shape
    for box, shifts in moving:
        for axis, (cells, extent) in enumerate(zip(together, shape, strict=True)):
            pace = {w: s[axis] for w, s in zip(ways, shifts, strict=True) if s[axis]}
            if cells > 1 and pace:
                last = (extent // cells * cells,) if extent % cells else ()
                _follow_rule(
                    Regular(cells, last), (box.lo[axis], box.hi[axis]), pace, blocks, division
                )
    still = [n == 0 for n in together]
    rounded_boxes = []
    for box, shifts in moving:
        kept = [
            tuple([0 if s else n for s, n in zip(still, shift, strict=True)]) for shift in shifts
        ]
        rounded_boxes.append(ShiftedBox(rounded_out(box, together, shape), tuple(kept)))
    return rounded_boxes


def _part(
    moving: Sequence[ShiftedBox],
    ways: Sequence[int],
    blocks: TranslatedBlocks,
    division: DomainSplit,
) -> None:
    """Divide where boxes that move apart are near each other."""
    domain = blocks.domain
    counts = [domain.ways[way].count for way in ways]
    parted = proximity_band(moving, [blocks.place[way] for way in ways], counts)
    if parted is None:
        return
    involved = [ways[at] for at in parted.ways]
    if parted.factors is None or len(involved) > 2:
        for way in involved:
            division.cut(way, range(domain.ways[way].count))
    elif len(involved) == 1:
        (way,) = involved
        low, high = max(0, parted.low), min(domain.ways[way].count - 1, parted.high)
        if low <= high:
            division.cut(way, range(low, high + 2))
    else:
        factors = [0] * len(domain.ways)
        for way, c in zip(involved, parted.factors, strict=True):
            factors[way] = c
        band = Band(tuple(factors), parted.low, parted.high)
        if domain.band is None and division.band is None:
            division.band = band
            return
        old = division.band or domain.band
        assert old is not None
        if old.factors != band.factors:
            for way in involved:
                division.cut(way, range(domain.ways[way].count))
        elif division.band is not None or not (old.low <= band.low and band.high <= old.high):
            division.band = old.joined(band)
