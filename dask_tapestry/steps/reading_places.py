"""Reading places: where along its output a program comes to the next chunk of what it reads.

Shifts, pads, rolls, joins and slices move what a cell reads by some cells, each in a part of the
output. What operators declare of their regularity tells where such parts end, and the demands of
two cells of each how reads move there. So the chunks of all that is joined are found, wherever they
lie. Cells whose windows lie across the ends of parts are taken to read as those after them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise
from math import lcm
from typing import NamedTuple

from dask_tapestry.steps.program import Program
from dask_tapestry.steps.tuning import (
    FEW_CHUNKS_APART,
    MOST_CHUNK_PLACES,
    MOST_PART_ENDS,
    MOST_RUNS,
)
from dask_tapestry.teg import Operator
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.regularity import Regular
from dask_tapestry.zspace import Cuts, ZRange

Span = tuple[int, int]


class Run(NamedTuple):
    """Cells along a dimension that read an axis of a value, each further on than the one before.

    Attributes
    ----------
    lo, hi
        The cells.
    axis
        Of the value.
    start, width
        The first cell that `lo` reads, and how many each of them reads.
    cells, steps
        By how many cells of the axis that moves with so many steps; fewer than none for backwards.
    """

    lo: int
    hi: int
    axis: int
    start: int
    width: int
    cells: int
    steps: int = 1

    @property
    def reads_its_place(self) -> bool:
        """Whether each place reads the cell of its own number, or cells around it."""
        return self.cells == self.steps == 1 and self.start <= self.lo < self.start + self.width

    def at(self, place: int) -> int:
        """The first cell that is read at a place."""
        return self.start + (place - self.lo) * self.cells // self.steps

    def passes(self, cell: int) -> int:
        """The first place from which on all is read behind the edge before a cell, as it goes."""
        ahead = cell - self.start if self.cells > 0 else self.start + self.width - cell
        return self.lo + max(0, -(-ahead * self.steps // abs(self.cells)))

    def part(self, lo: int, hi: int) -> Run:
        """A part of it."""
        return self._replace(lo=lo, hi=hi, start=self.at(lo))

    def chunk(self, place: int, cuts: Cuts) -> int:
        """The chunk that is read first at a place, as it goes, and by no place further on."""
        cell = self.at(place) + (0 if self.cells > 0 else self.width - 1)
        return cuts.locate(min(max(cell, 0), max(cuts.extent - 1, 0)))

    def openings(self, cuts: Cuts) -> list[int] | None:
        """The places inside that come to another chunk; None where it is of no use to cut there.

        Where each cell reads several, as means of a week do, cells lie across most ends of chunks:
        only places are of use at which none does, if there are not many chunks between them.
        """
        first, last = sorted((self.chunk(self.lo, cuts), self.chunk(self.hi - 1, cuts)))
        begins = [cuts.block(number)[0] for number in range(first + 1, last + 1)]
        found = list(zip(map(self.passes, begins), begins, strict=True))
        found = [one for one in found if self.lo < one[0] < self.hi]
        if abs(self.cells) > self.steps:
            clean = [one for one in found if not self._lies_across(one[0] - 1, one[1])]
            if len(clean) * FEW_CHUNKS_APART < len(found):
                return None
            found = clean
        return [place for place, _ in found]

    def _lies_across(self, place: int, cell: int) -> bool:
        """Whether a place reads cells on both sides of the edge before a cell."""
        return self.at(place) < cell < self.at(place) + self.width


class ReadChunks(NamedTuple):
    """A value that is held in chunks: how it is read, and its chunks along each axis."""

    runs: tuple[Run, ...]
    cuts: tuple[Cuts, ...]


@lru_cache(maxsize=1024)
def has_parts(program: Program) -> bool:
    """Whether another rule may hold in one part of a value than in another."""
    rules = [one.operator.regularity(one.types) for one in program.instructions if one.inputs]
    return any(rule is not None and bool(rule.breaks) for own in rules for rule in own or ())


@lru_cache(maxsize=1024)
def reading_runs(program: Program, dim: int) -> tuple[tuple[Run, ...], ...] | None:
    """For each value, how cells along a dimension read it; None where that takes too many runs."""
    first = len(program.inputs)
    gathered: list[list[Run]] = [[] for _ in program.types]
    gathered[-1].append(Run(0, program.type.shape[dim], dim, 0, 1, 1))
    for value in range(len(program.types) - 1, first - 1, -1):
        gathered[value] = _merged(gathered[value])
        if len(gathered[value]) > MOST_RUNS:
            return None
        instruction = program.instructions[value - first]
        for run in gathered[value]:
            operator, _, types, type_, *_ = instruction
            for number, part in _followed(operator, types, type_.shape, run):
                gathered[instruction.inputs[number]].append(part)
    return tuple([tuple(_merged(runs)) for runs in gathered])


@lru_cache(maxsize=1024)
def part_ends(program: Program, dim: int) -> tuple[int, ...]:
    """Where along a dimension of a program's output parts end that read values in their own ways.

    None are told where there are many.
    """
    if not has_parts(program):
        return ()
    runs = reading_runs(program, dim) or ()
    ends = {end for own in runs for run in own for end in (run.lo, run.hi)}
    inside = sorted(ends - {0, program.type.shape[dim]})
    return tuple(inside) if len(inside) <= MOST_PART_ENDS else ()


def _merged(runs: Sequence[Run]) -> list[Run]:
    """Runs of the same cells that move alike as one, that of the hull of what they read."""
    hulls: dict[tuple[int, ...], Run] = {}
    for run in runs:
        key = run.lo, run.hi, run.axis, run.cells, run.steps
        other = hulls.get(key, run)
        start = min(run.start, other.start)
        end = max(run.start + run.width, other.start + other.width)
        hulls[key] = run._replace(start=start, width=end - start)
    return list(hulls.values())


@lru_cache(maxsize=4096)  # programs that a search compares have most instructions in common
def _followed(
    operator: Operator, types: Types, shape: tuple[int, ...], run: Run
) -> tuple[tuple[int, Run], ...]:
    """The runs of an operator's inputs, of these types, each with the number of the input."""
    rules = operator.regularity(types) if types else None
    rule = None if rules is None else rules[run.axis]
    if rule is None:
        return ()
    parts = pairwise([run.lo, *_ends(run, rule), run.hi])
    found = [_in_part(operator, types, shape, run.part(lo, hi), rule.period) for lo, hi in parts]
    return tuple(chain.from_iterable(found))


def _ends(run: Run, rule: Regular) -> list[int]:
    """The places inside a run that come to another rule."""
    low, high = sorted((run.at(run.lo), run.at(run.hi - 1) + run.width))
    first = bisect_right(rule.breaks, low)
    last = bisect_right(rule.breaks, high)
    places = {run.passes(edge) for edge in rule.breaks[first:last]}
    return sorted(place for place in places if run.lo < place < run.hi)


def _in_part(
    operator: Operator, types: Types, shape: tuple[int, ...], run: Run, period: int
) -> Iterator[tuple[int, Run]]:
    """The runs of the inputs where one rule holds: two cells near the middle tell them."""
    steps = lcm(period * run.steps, abs(run.cells)) // abs(run.cells)
    middle = run.lo + max(0, run.hi - run.lo - steps) // 2 // run.steps * run.steps
    if middle + steps >= run.hi:
        return
    here, there = (_read(operator, types, shape, run, place) for place in (middle, middle + steps))
    for number, (a, b) in enumerate(zip(here, there, strict=True)):
        for axis, (one, other) in enumerate(zip(a.lo, b.lo, strict=True)):
            if one != other and not (a.is_empty or b.is_empty):
                cells, width = other - one, a.hi[axis] - one
                start = one - (middle - run.lo) * cells // steps
                yield number, Run(run.lo, run.hi, axis, start, width, cells, steps)


def _read(
    operator: Operator, types: Types, shape: tuple[int, ...], run: Run, place: int
) -> tuple[ZRange, ...]:
    """The box of each input that the cells at a place need, over all of the other axes."""
    first = run.at(place)
    lo = min(max(first, 0), shape[run.axis] - 1)
    hi = min(max(first + run.width, lo + 1), shape[run.axis])
    box = ZRange.of_shape(shape).replace(run.axis, lo, hi)
    return operator.demand(types, box)


class _Reader(NamedTuple):
    """A run, the chunks of the axis that it reads, and the number of the value."""

    number: int
    run: Run
    cuts: Cuts

    def chunk(self, place: int) -> Span:
        """The value and its chunk that are read first at a place."""
        return self.number, self.run.chunk(place, self.cuts)

    def order(self, place: int) -> Span:
        """Of readers at a place, the least tells where chunks begin: it is the one behind."""
        at = self.run.at(place)
        return self.number, at if self.run.cells > 0 else -at - self.run.width


@lru_cache(maxsize=1024)  # ways to hold other values read the same chunks
def _openings(run: Run, cuts: Cuts) -> list[int] | None:
    return run.openings(cuts)


def chunk_places(values: Sequence[ReadChunks]) -> tuple[int, ...] | None:
    """The places that come to another chunk of the first of some values that is read there.

    None where they are too many to list, or of no use.
    """
    places: list[int] = []
    readers = [one for number, value in enumerate(values) for one in _readers(number, value)]
    ends = sorted({end for _, run, _ in readers for end in (run.lo, run.hi)})
    begun = {lo: [one for one in readers if one.run.lo == lo] for lo in ends}
    here: list[_Reader] = []
    last: Span | None = None
    for lo, hi in pairwise(ends):
        here = [one for one in here if one.run.hi > lo] + begun[lo]
        if not here:
            continue
        number, run, cuts = min(here, key=lambda one: one.order(lo))
        part = _Reader(number, run.part(lo, hi), cuts)
        first, end = part.chunk(lo), part.chunk(hi - 1)
        if len(places) + abs(end[1] - first[1]) > MOST_CHUNK_PLACES:
            return None
        inside = _openings(part.run, cuts)
        if inside is None:
            return None
        places += [lo] if lo and first != last else []
        places += inside
        last = end
    return tuple(sorted(set(places)))


def _readers(number: int, value: ReadChunks) -> list[_Reader]:
    """The runs along one axis of a value: one of several chunks, if there is any."""
    runs, cuts = value
    axes = sorted({run.axis for run in runs}, key=lambda axis: (cuts[axis].count == 1, axis))
    return [_Reader(number, run, cuts[axes[0]]) for run in runs if run.axis == axes[0]]
