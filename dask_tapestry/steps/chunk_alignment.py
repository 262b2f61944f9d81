"""Alignment with stored chunks: where cuts should fall to read whole ones, must to write them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import gcd, lcm
from typing import NamedTuple

from dask_tapestry.steps.access_strides import Boxes, neighbours
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.reading_places import ReadChunks, chunk_places, has_parts, reading_runs
from dask_tapestry.steps.tuning import MOST_UNEVEN_PIECES
from dask_tapestry.teg import Sink, Source
from dask_tapestry.zspace import Cuts, ZRange

Held = Sequence[Sequence[Cuts] | None]  # of each input, the cuts in which it is held


class ChunkAlignment(NamedTuple):
    """Where cuts of a dimension should fall: after `lead` cells, then every `length`.

    With `required` they must: the pieces are written by one task each. There may be `least` cells
    in such a piece, fewer than in what should be read together. With a `pace` they are cells of
    what is read, of which each cell of the dimension is so many further along. Where chunks lie
    unevenly, as those of several stores in a row, these are the `places` between them, and none is
    longer than `length`.
    """

    length: int = 1
    lead: int = 0
    required: bool = False
    pace: int = 1
    least: int | None = None
    places: tuple[int, ...] = ()

    @classmethod
    def at(cls, places: tuple[int, ...], extent: int) -> ChunkAlignment | None:
        """The unit with edges at these places; None for none.

        Examples
        --------
        >>> ChunkAlignment.at((1, 25, 49), 70).length, ChunkAlignment.at((24, 39, 63), 70).places
        (24, (24, 39, 63))
        """
        if not places:
            return None
        steps = {b - a for a, b in pairwise(places)}
        if len(steps) == 1:
            (step,) = steps
            return cls(step, places[0] % step)
        return cls(max([b - a for a, b in pairwise((0, *places, extent))]), places=places)

    def allows(self, cuts: Cuts) -> bool:
        """Whether no cut falls where it may not."""
        if not self.required or cuts.count == 1:
            return True
        lead, step = (self.lead or self.length), self.least or self.length
        return step == 1 or (
            not cuts.edges
            and not (cuts.lead - lead) % step
            and (
                cuts.count < 3 or not cuts.step % step  # the last of two blocks may have any length
            )
        )

    def cut(self, extent: int, pieces: int) -> Cuts:
        """About `pieces` pieces, with edges on those of the unit where pieces are as long as it."""
        if pieces == 1 or extent < 2:
            return Cuts.regular(extent, max(extent, 1))
        step = -(-extent // pieces)
        if self.places:
            return self._placed_pieces(extent, step, pieces)
        if self.pace > 1:
            return self._chunk_pieces(extent, step * self.pace // self.length, pieces)
        if step < self.length and (self.least or not self.required):
            least = self.least or 1
            step = -(-self.length // round(self.length / step))  # equal parts of a unit
            step = -(-step // least) * least
            return Cuts.regular(extent, step, (self.lead - 1) % step + 1 if self.lead else step)
        step = -(-step // self.length) * self.length
        first = step - self.length + self.lead if self.lead else step
        return Cuts.regular(extent, step, first)

    def count(self, extent: int) -> int:
        """How many pieces the unit itself has."""
        if self.places:
            return len(self.places) + 1
        length = self.length // self.pace
        return -(-(extent - self.lead) // length) + bool(self.lead) if length > 1 else extent

    def side(self, longest: float) -> int:
        """The length of pieces that are about so long, and of as many whole ones as may be."""
        return max(1, int(longest / self.length)) * self.length

    def ends(self, lo: int, hi: int, side: int) -> tuple[int, ...]:
        """Where pieces of some cells end that have a `side`, between the edges of the unit."""
        if not self.places:
            start = lo - (lo - self.lead) % self.length
            return (lo, *range(start + side, hi, side), hi)
        ends = [lo]
        while hi - ends[-1] > side:
            at = bisect_right(self.places, ends[-1])
            last = max(at + 1, bisect_right(self.places, ends[-1] + side))
            if last > len(self.places) or self.places[last - 1] >= hi:
                break
            ends.append(self.places[last - 1])
        return (*ends, hi)

    def _placed_pieces(self, extent: int, step: int, pieces: int) -> Cuts:
        """Pieces between places, or equal parts of what is between two; regular ones if many."""
        regular = Cuts.regular(extent, -(-extent // pieces))
        if step >= self.length:
            ends = self.ends(0, extent, -(-step // self.length) * self.length)
        else:
            spans = pairwise((0, *self.places, extent))
            parts = [(a, b, max(1, round((b - a) / step))) for a, b in spans]
            if sum([count for _, _, count in parts]) > MOST_UNEVEN_PIECES:
                return regular
            ends = (*[a + (b - a) * n // m for a, b, m in parts for n in range(m)], extent)
        if len(ends) > MOST_UNEVEN_PIECES + 1:
            return regular
        return Cuts.of_lengths([b - a for a, b in pairwise(ends)])

    def _chunk_pieces(self, extent: int, chunks: int, pieces: int) -> Cuts:
        """Pieces of so many chunks each, which begin with the first cell read of a chunk.

        Regular ones instead, where they are smaller than chunks or very many.
        """
        if not chunks or pieces > MOST_UNEVEN_PIECES:
            return Cuts.regular(extent, -(-extent // pieces))
        first = (self.lead or self.length) + (chunks - 1) * self.length
        ends = range(first, extent * self.pace, chunks * self.length)
        edges = sorted({0, *(min(extent, -(-end // self.pace)) for end in ends), extent})
        return Cuts.of_lengths([b - a for a, b in pairwise(edges)])


class ChunkedValue(NamedTuple):
    """A value in chunks, whether cuts must fall on these, and whether it is held, not stored."""

    value: int
    cuts: tuple[Cuts, ...]
    required: bool
    is_held: bool = False

    @property
    def sides(self) -> tuple[int, ...]:
        """Lengths of the chunks."""
        return tuple([cuts.step or 1 for cuts in self.cuts])


def units(program: Program, chunks: Held) -> tuple[ChunkAlignment, ...]:
    """For each output dimension, the chunks that its cuts should fall between."""
    return _units(program, tuple(chunks))


@lru_cache(maxsize=1024)
def _units(
    program: Program, chunks: tuple[Sequence[Cuts] | None, ...]
) -> tuple[ChunkAlignment, ...]:
    shape = program.type.shape
    units = [ChunkAlignment()] * len(shape)
    if 0 in shape:
        return tuple(units)
    holders = _chunked_values(program, chunks)
    for dim, extent in enumerate(shape):
        if extent < 2:
            continue
        together = _joint_units(program, *neighbours(program, dim))
        distance = computed_together(program, dim)
        if not distance:
            units[dim] = ChunkAlignment(extent, 0, required=True)
            continue
        weighted_units = [(program.type.nbytes, unit) for unit in together]
        own = _units_in_place(program, dim, holders) if distance == 1 else {}
        held_units = [
            (program.types[one.value].nbytes, unit._replace(required=one.required))
            for one in holders
            if (unit := own.get(one) or _held_unit(program, one.value, dim, one.sides, distance))
            and (unit.pace == 1 or not one.required)
        ]
        others = [one for one in holders if one not in own]
        if distance == 1 and (has_parts(program) or not held_units or _any_uneven(others)):
            held_units += _unit_of_parts(program, dim, others)
        units[dim] = common_unit(weighted_units + held_units)
    return tuple(units)


def _units_in_place(
    program: Program, dim: int, holders: Sequence[ChunkedValue]
) -> dict[ChunkedValue, ChunkAlignment]:
    """The chunks of held values of which a cell reads its own place, and maybe some around it.

    Cuts before the first cell that is read would move on with each step of a loop that holds them.
    """
    holders = [one for one in holders if one.is_held]
    runs = (reading_runs(program, dim) if holders else None) or ()
    found = dict[ChunkedValue, ChunkAlignment]()
    for one in holders if runs else ():
        axes = {run.axis for run in runs[one.value] if run.reads_its_place}
        for axis in sorted(axes, key=lambda axis: axis == dim):  # own axis last
            if unit := _unit_of(one.cuts[axis], program.type.shape[dim]):
                found[one] = unit
    return found


def _unit_of(cuts: Cuts, extent: int) -> ChunkAlignment | None:
    """The unit whose edges are those of cuts, along a dimension of some extent."""
    if not cuts.edges:
        return ChunkAlignment(cuts.step, cuts.lead % cuts.step)
    return ChunkAlignment.at(tuple([e for e in cuts.edges[1:-1] if e < extent]), extent)


def _any_uneven(holders: Sequence[ChunkedValue]) -> bool:
    """Whether a value is held in blocks of which more than the last may have another length."""
    return any(c.edges or c.lead not in (c.step, c.extent) for one in holders for c in one.cuts)


def _reads_most(program: Program, dim: int, value: int) -> bool:
    """Whether a cell of the dimension reads most of a value: then its chunks tell nothing."""
    boxes, _ = neighbours(program, dim)
    return 2 * sum(box.size for box in boxes[value]) > program.types[value].size


def _unit_of_parts(
    program: Program, dim: int, holders: Sequence[ChunkedValue]
) -> list[tuple[int, ChunkAlignment]]:
    """The chunks of all values, each where it is read, with the bytes of more than the largest."""
    read = [one for one in holders if not one.required and not _reads_most(program, dim, one.value)]
    runs = reading_runs(program, dim) if read else None
    if runs is None:
        return []
    largest = sorted(read, key=lambda one: -program.types[one.value].nbytes)
    places = chunk_places([ReadChunks(runs[one.value], one.cuts) for one in largest])
    unit = ChunkAlignment.at(places or (), program.type.shape[dim])
    return [] if unit is None else [(program.types[largest[0].value].nbytes + 1, unit)]


@lru_cache(maxsize=1024)
def computed_together(program: Program, dim: int) -> int:
    """How many cells along a dimension are computed together, such as a node's of a lattice.

    One where each is computed alone, or two such pieces are not there; 0 where all are.
    """
    extent = program.type.shape[dim]
    if extent < 2:
        return 1
    lengths = [unit.length for unit in _joint_units(program, *neighbours(program, dim))]
    if 0 in lengths:
        return 0
    apart = lcm(*lengths)
    return apart if apart < extent else 1


@lru_cache(maxsize=4096)
def _held_unit(
    program: Program, value: int, dim: int, sides: tuple[int, ...], distance: int
) -> ChunkAlignment | None:
    """Chunks of a value in steps of a dimension, if one step moves what is read by whole cells.

    A step is one cell, or as many as are computed together, such as a node's of a lattice.
    The first cells of all tell. Near the diagonal of ``x + x.T`` both boxes of `x` are one: there
    the last cells along the other dimensions do.
    """
    for ends in (False, True):
        here, there = (boxes[value] for boxes in neighbours(program, dim, ends))
        if unit := _follow(here, there, sides):
            return unit
    if distance > 1:
        here, there = (boxes[value] for boxes in neighbours(program, dim, distance=distance))
        unit = _follow(here, there, sides)
        if unit is not None and unit.pace == 1:
            return unit._replace(length=unit.length * distance, lead=unit.lead * distance)
    return None


def _joint_units(program: Program, origin: Boxes, moved: Boxes) -> list[ChunkAlignment]:
    """The units of cells computed together that a step of the output moves; of length 0 for all."""
    joint_units = []
    values = enumerate(program.granularity, start=len(program.inputs))
    for value, cells in ((value, cells) for value, cells in values if cells):
        origin_boxes, moved_boxes = origin[value], moved[value]
        for axis, length in enumerate(cells):
            edges = [
                {(box.lo[axis], box.hi[axis]) for box in boxes}
                for boxes in (origin_boxes, moved_boxes)
            ]
            if edges[0] == edges[1] or length == 1:
                continue
            if length == 0:
                return [ChunkAlignment(0)]
            unit = _follow_axis(origin_boxes, moved_boxes, axis, length)
            joint_units += [unit._replace(required=True)] if unit and unit.pace == 1 else []
    return joint_units


def common_unit(weighted_units: list[tuple[int, ChunkAlignment]]) -> ChunkAlignment:
    """The unit of the largest value, among those that keep to the required ones.

    Examples
    --------
    >>> source_rows, sink_columns = ChunkAlignment(5000), ChunkAlignment(100, required=True)
    >>> unit = common_unit([(8, source_rows), (8, sink_columns)])
    >>> unit.length, unit.required, unit.least
    (5000, True, 100)
    """
    must = ChunkAlignment()
    for _, unit in weighted_units:
        if unit.required:
            must = _common_alignment(must, unit)
    fitting = [
        (size, unit)
        for size, unit in weighted_units
        if unit.length % must.length == 0
        and (unit.lead - must.lead) % must.length == 0
        and ((unit.pace == 1 and not unit.places) or must.length == 1)
    ]
    best = max(fitting, key=lambda one: one[0], default=(0, must))[1]
    if not must.required or best.length == must.length:
        return best._replace(required=must.required)
    return best._replace(required=True, least=must.length)


def _common_alignment(unit: ChunkAlignment, other: ChunkAlignment) -> ChunkAlignment:
    """The unit whose edges are those of both; the first where they have none in common."""
    both = gcd(unit.length, other.length)
    offset, odd = divmod(other.lead - unit.lead, both)
    if odd:
        return unit
    steps = (
        offset * pow(unit.length // both, -1, other.length // both) if other.length > both else 0
    )
    length = lcm(unit.length, other.length)
    lead = (unit.lead + steps * unit.length) % length
    return ChunkAlignment(length, lead, unit.required or other.required)


def _chunked_values(program: Program, chunks: Held) -> list[ChunkedValue]:
    """Values that are held in chunks."""
    pairs = enumerate(chunks)
    chunked = [ChunkedValue(v, tuple(cuts), False, is_held=True) for v, cuts in pairs if cuts]
    for value, instruction in enumerate(program.instructions, start=len(program.inputs)):
        operator = instruction.operator
        if isinstance(operator, Sink):
            cuts = tuple(map(Cuts.regular, instruction.type.shape, operator.chunks))
            chunked.append(ChunkedValue(value, cuts, required=True))
        elif isinstance(operator, Source) and operator.chunk_cuts:
            chunked.append(ChunkedValue(value, operator.chunk_cuts, required=False))
    return chunked


def _follow(
    origin: tuple[ZRange, ...], moved: tuple[ZRange, ...], sides: tuple[int, ...]
) -> ChunkAlignment | None:
    """Chunks in steps of the output, if one step moves the value by whole cells."""
    units = (
        follow(origin, moved, axis, side)
        for axis, side in enumerate(sides)
        for follow in (_follow_axis, _follow_back)
    )
    return next((unit for unit in units if unit), None)


def _follow_axis(
    origin: tuple[ZRange, ...], moved: tuple[ZRange, ...], axis: int, side: int
) -> ChunkAlignment | None:
    """The alignment along one axis of the value, whose pieces are `side` long."""
    if len(origin) != len(moved):
        return None
    for here, target in zip(origin, moved, strict=True):
        start = here.lo[axis]
        pace = target.lo[axis] - start
        if pace:
            if not 0 < pace < side:
                return None
            lead = -start % side
            if side % pace == 0:
                return ChunkAlignment(side // pace, -(-lead // pace))
            skips = target.hi[axis] - target.lo[axis] < pace  # a node of a clipped lattice does not
            return ChunkAlignment(side, lead, pace=pace) if skips else None
    return None


def _follow_back(
    origin: tuple[ZRange, ...], moved: tuple[ZRange, ...], axis: int, side: int
) -> ChunkAlignment | None:
    """The alignment along an axis that is read backwards: its last chunk comes first."""
    if len(origin) != len(moved):
        return None
    for source, target in zip(origin, moved, strict=True):
        pace = source.hi[axis] - target.hi[axis]
        if pace:
            if pace < 0 or side % pace:
                return None
            length = side // pace
            return ChunkAlignment(length, ((source.hi[axis] - 1) % side // pace + 1) % length)
    return None
