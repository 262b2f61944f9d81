"""Access: which boxes the blocks of a grid read, without looking at each block.

The blocks of a grid fall into classes of translates. There are few of them: the inner blocks, those
at the edges, those on a diagonal where rows meet columns. A class knows the schedule of one of its
blocks and how each box moves from block to block.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from operator import add
from typing import NamedTuple

from dask_tapestry.planner.access.block_classes import DomainSplit, Shift, TranslatedBlocks, study
from dask_tapestry.planner.access.domain import Band, Domain, DomainDiagonal, Place, StridedRun
from dask_tapestry.planner.tuning import GRIDS_REMEMBERED, MOST_CLASSES, MOST_WORKS
from dask_tapestry.steps.instruction_schedule import InstructionSchedule
from dask_tapestry.steps.program import Program
from dask_tapestry.teg.regularity import Regularity
from dask_tapestry.zspace import Cuts, ZRange, block_box

Boxes = tuple[tuple[ZRange, ...], ...]
"""Of each external input, the boxes that a block reads."""


class UncountableError(Exception):
    """There are too many classes of blocks, or boxes of them, to look at each."""


@dataclass(frozen=True, slots=True)
class BlockClass:
    """Blocks that are translates of each other: one of them, and how many there are."""

    index: tuple[int, ...]
    count: int


class MovingBox(NamedTuple):
    """A box of an input, at the first block of a domain, and how it moves along each way."""

    box: ZRange
    shifts: tuple[Shift, ...]


class ClassLeaf:
    """Blocks that are translates of each other."""

    def __init__(self, translates: TranslatedBlocks, inputs: int) -> None:
        self.translates = translates
        self._inputs = inputs

    @property
    def domain(self) -> Domain:
        """The blocks."""
        return self.translates.domain

    @property
    def schedule(self) -> InstructionSchedule:
        """What the representative block needs."""
        return self.translates.schedule

    @cached_property
    def index(self) -> tuple[int, ...]:
        """The representative block."""
        return self.domain.block(self.translates.place)

    @cached_property
    def moving(self) -> tuple[tuple[MovingBox, ...], ...]:
        """The boxes of each external input."""
        place, shifts = self.translates.place, self.translates.shifts
        by_input = []
        for number, boxes in enumerate(self.schedule.boxes[: self._inputs]):
            own = []
            for at, box in enumerate(boxes):
                still = (0,) * box.ndim
                moves = tuple([s[number][at] if s else still for s in shifts])
                own.append(MovingBox(moved(box, moves, [-t for t in place]), moves))
            by_input.append(tuple(own))
        return tuple(by_input)

    def boxes(self, place: Place) -> Boxes:
        """The boxes that the block at a place reads."""
        return tuple(
            [tuple([moved(box, shifts, place) for box, shifts in own]) for own in self.moving]
        )

    def boxes_of(self, place: Place, number: int) -> tuple[ZRange, ...]:
        """The boxes of one input that the block at a place reads."""
        return tuple([moved(box, shifts, place) for box, shifts in self.moving[number]])

    def leaf(self, place: Place) -> tuple[ClassLeaf, Place]:
        """Itself, and the place in its domain."""
        return self, place

    def leaves(self) -> Iterator[ClassLeaf]:
        """Itself."""
        yield self


class ClassTree:
    """A domain that is divided: along its ways, or into diagonals and the rest."""

    def __init__(self, grid: _StudiedGrid, domain: Domain, division: DomainSplit) -> None:
        self._grid, self._domain = grid, domain
        self._starts = {
            way: sorted({0, *[s for s in starts if 0 < s < domain.ways[way].count]})
            for way, starts in division.starts.items()
        }
        self._strides = {} if self._starts else division.strides
        divides = self._strides or any(len(starts) > 1 for starts in self._starts.values())
        assert divides, f"{division} leaves {domain} whole"
        self._parts: dict[Place, ClassLeaf | ClassTree | BandedClasses] = {}

    def leaf(self, place: Place) -> tuple[ClassLeaf, Place]:
        """The class of the block at a place, and its place there."""
        part, inner = [], []
        for way, t in enumerate(place):
            number = 0
            starts = self._starts.get(way)
            if starts is not None:
                number = bisect_right(starts, t) - 1
                t -= starts[number]
            elif way in self._strides:
                t, number = divmod(t, self._strides[way])
            part.append(number)
            inner.append(t)
        return self._part(tuple(part)).leaf(tuple(inner))

    def _part(self, part: Place) -> ClassLeaf | ClassTree | BandedClasses:
        known = self._parts.get(part)
        if known is None:
            known = self._parts[part] = self._grid.classes(self._part_domain(part))
        return known

    def _part_domain(self, part: Place) -> Domain:
        first, ways = [], []
        for way, number in enumerate(part):
            step, count = self._domain.ways[way].step, self._domain.ways[way].count
            starts = self._starts.get(way)
            if starts is not None:
                start = starts[number]
                end = starts[number + 1] if number + 1 < len(starts) else count
                count = end - start
            elif way in self._strides:
                stride = self._strides[way]
                start, count = number, -(-(count - number) // stride)
                step = tuple([n * stride for n in step])
            else:
                start = 0
            first.append(start)
            ways.append(StridedRun(step, count))
        return Domain(self._domain.block(first), tuple(ways))

    def leaves(self) -> Iterator[ClassLeaf]:
        """All classes."""
        numbers = []
        for way, along in enumerate(self._domain.ways):
            starts = self._starts.get(way)
            parts = len(starts) if starts else min(self._strides.get(way, 1), along.count)
            numbers.append(range(parts))
        for part in product(*numbers):
            yield from self._part(part).leaves()


class BandedClasses:
    """A domain whose diagonals near one of them differ from the rest."""

    def __init__(self, grid: _StudiedGrid, rest: ClassLeaf, band: Band) -> None:
        self._grid, self._rest, self._band = grid, rest, band
        self._lines: dict[int, DomainDiagonal] = dict(rest.domain.lines)
        self._nodes: dict[int, ClassLeaf | ClassTree | BandedClasses] = {}

    def leaf(self, place: Place) -> tuple[ClassLeaf, Place]:
        """The class of the block at a place, and its place there."""
        if place not in self._band:
            return self._rest, place
        value = self._band.value(place)
        return self._node(value).leaf(self._lines[value].place(place))

    def _node(self, value: int) -> ClassLeaf | ClassTree | BandedClasses:
        known = self._nodes.get(value)
        if known is None:
            known = self._nodes[value] = self._grid.classes(self._lines[value].domain)
        return known

    def leaves(self) -> Iterator[ClassLeaf]:
        """The blocks off the band, then its diagonals."""
        yield self._rest
        for value in self._lines:
            yield from self._node(value).leaves()


class _StudiedGrid(NamedTuple):
    """What divides the blocks of a grid into classes."""

    program: Program
    cuts: tuple[Cuts, ...]

    def classes(self, domain: Domain) -> ClassLeaf | ClassTree | BandedClasses:
        """The classes of the blocks of a domain."""
        inputs, studied = len(self.program.inputs), self._study(domain)
        while not isinstance(studied, TranslatedBlocks):
            if studied.starts or studied.strides:
                return ClassTree(self, domain, studied)
            assert studied.band is not None
            band = studied.band
            studied = self._study(replace(domain, band=band))
            if isinstance(studied, TranslatedBlocks):
                return BandedClasses(self, ClassLeaf(studied, inputs), band)
        return ClassLeaf(studied, inputs)

    def _study(self, domain: Domain) -> TranslatedBlocks | DomainSplit:
        return study(self.program, self.cuts, domain, _regularity(self.program))


class Access:
    """What the blocks of a grid read.

    Parameters
    ----------
    program, cuts
        What a block takes, and how the output is cut.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> from dask_tapestry.planner.fusion.group import group_of
    >>> from dask_tapestry.zspace import Cuts
    >>> x = dt.placeholder((1000, 1000), "f8")
    >>> program = group_of((x + x.T).node, set()).program
    >>> cuts = (Cuts.regular(1000, 100), Cuts.regular(1000, 100))
    >>> [found.count for found in Access.of(program, cuts).classes]
    [90, 10]
    """

    def __init__(self, program: Program, cuts: tuple[Cuts, ...]) -> None:
        self.program, self.cuts = program, cuts
        self._is_uncountable = False

    @classmethod
    def of(cls, program: Program, cuts: tuple[Cuts, ...]) -> Access:
        """The access of a program whose output is cut by `cuts`, remembered."""
        known: Access | None = program.known_accesses.get(cuts)
        if known is None:
            if len(program.known_accesses) >= GRIDS_REMEMBERED:
                program.known_accesses.clear()
            known = program.known_accesses[cuts] = Access(_apart(program), cuts)
        return known

    @cached_property
    def _rows(self) -> tuple[tuple[list[int], list[int]], ...]:
        """Along each axis, where rows of blocks of one length begin, and their lengths."""
        return tuple([_rows_of(c) for c in self.cuts])

    @cached_property
    def _tops(self) -> dict[Place, ClassLeaf | ClassTree | BandedClasses]:
        return {}

    def _top(self, part: Place) -> ClassLeaf | ClassTree | BandedClasses:
        tree = self._tops.get(part)
        if tree is None:
            rank = len(part)
            first = tuple([starts[n] for (starts, _), n in zip(self._rows, part, strict=True)])
            ways = tuple(
                [
                    StridedRun(tuple([int(a == axis) for a in range(rank)]), counts[n])
                    for axis, ((_, counts), n) in enumerate(zip(self._rows, part, strict=True))
                ]
            )
            grid = _StudiedGrid(self.program, self.cuts)
            tree = self._tops[part] = grid.classes(Domain(first, ways))
        return tree

    def leaf(self, index: tuple[int, ...]) -> tuple[ClassLeaf, Place]:
        """The class of a block, and its place there."""
        part, place = [], []
        for (starts, _), n in zip(self._rows, index, strict=True):
            number = bisect_right(starts, n) - 1
            part.append(number)
            place.append(n - starts[number])
        return self._top(tuple(part)).leaf(tuple(place))

    def boxes(self, index: tuple[int, ...]) -> Boxes:
        """The boxes of each external input that a block reads: ``program.input_boxes`` of it."""
        leaf, place = self.leaf(index)
        return leaf.boxes(place)

    def boxes_of(self, index: tuple[int, ...], number: int) -> tuple[ZRange, ...]:
        """The boxes of one input that a block reads."""
        leaf, place = self.leaf(index)
        return leaf.boxes_of(place, number)

    @cached_property
    def leaves(self) -> tuple[ClassLeaf, ...]:
        """The classes, with all that is known of them."""
        return tuple(self.each_leaf())

    @cached_property
    def few_leaves(self) -> tuple[ClassLeaf, ...]:
        """The classes; `UncountableError` where these are more than can be looked at."""
        if self._is_uncountable:
            raise UncountableError("too many classes of blocks")
        leaves, works = list[ClassLeaf](), 0
        for leaf in self.each_leaf():
            leaves.append(leaf)
            works += len(leaf.schedule.works)
            if len(leaves) > 1 and (len(leaves) > MOST_CLASSES or works > MOST_WORKS):
                self._is_uncountable = True
                raise UncountableError(f"more than {len(leaves) - 1} classes of blocks")
        return tuple(leaves)

    def each_leaf(self) -> Iterator[ClassLeaf]:
        """The classes, one after another."""
        for part in product(*[range(len(starts)) for starts, _ in self._rows]):
            yield from self._top(part).leaves()

    @cached_property
    def classes(self) -> tuple[BlockClass, ...]:
        """The classes of blocks; each block is in one of them."""
        return tuple([BlockClass(leaf.index, leaf.domain.count) for leaf in self.leaves])

    def schedule(self, index: tuple[int, ...]) -> InstructionSchedule:
        """What a block of a class needs, the representative one without any work."""
        leaf, _ = self.leaf(index)
        if leaf.index == index:
            return leaf.schedule
        return self.program.schedule(block_box(self.cuts, index))

    @property
    def count(self) -> int:
        """Number of blocks."""
        return prod([c.count for c in self.cuts])


def _apart(program: Program) -> Program:
    """The same program without accesses: in a circle with its own it would stay as garbage."""
    known: Program | None = program.found.get("apart")
    if known is None:
        known = program.found["apart"] = replace(program)
        known.share(program)
        known.__dict__["known_accesses"] = {}
    return known


@lru_cache(maxsize=1024)
def _regularity(program: Program) -> tuple[Regularity | None, ...]:
    return tuple([i.operator.regularity(i.types) for i in program.instructions])


@lru_cache(maxsize=1024)
def _rows_of(cuts: Cuts) -> tuple[list[int], list[int]]:
    """Where rows of blocks of one length begin, and how many blocks each has."""
    if cuts.count == 1:
        return [0], [1]
    if not cuts.edges:
        starts = {0, int(cuts.lead != cuts.step)}
        if cuts.block(cuts.count - 1)[1] - cuts.block(cuts.count - 1)[0] != cuts.step:
            starts.add(cuts.count - 1)
        begins = sorted(starts)
    else:
        lengths = list(cuts.lengths())
        begins = [0, *[n for n in range(1, len(lengths)) if lengths[n] != lengths[n - 1]]]
    ends = [*begins[1:], cuts.count]
    return begins, [end - start for start, end in zip(begins, ends, strict=True)]


def moved(box: ZRange, shifts: Sequence[Shift], place: Sequence[int]) -> ZRange:
    """A box after so many steps along each way."""
    lo, hi = box.lo, box.hi
    for t, shift in zip(place, shifts, strict=True):
        if t and any(shift):
            way = [t * n for n in shift]
            lo, hi = tuple(map(add, lo, way)), tuple(map(add, hi, way))
    return box if lo is box.lo else ZRange(lo, hi)
