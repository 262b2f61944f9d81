"""Domains: sets of blocks of a grid that lie in even steps, and how they are divided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NamedTuple

Place = tuple[int, ...]
"""A block of a domain: how many steps it lies along each way."""


@dataclass(frozen=True, slots=True)
class StridedRun:
    """A run of `count` blocks, each `step` further in the grid than the one before."""

    step: tuple[int, ...]
    count: int


class Band(NamedTuple):
    """The places p with ``low <= sum(factors * p) <= high``: those near a diagonal.

    Examples
    --------
    >>> band = Band((1, -1), 0, 0)
    >>> (2, 2) in band, (2, 3) in band
    (True, False)
    """

    factors: tuple[int, ...]
    low: int
    high: int

    def value(self, place: Sequence[int]) -> int:
        """The diagonal that a place lies on."""
        return sum(c * t for c, t in zip(self.factors, place, strict=True) if c)

    def __contains__(self, place: object) -> bool:
        return isinstance(place, tuple) and self.low <= self.value(place) <= self.high

    def joined(self, other: Band) -> Band:
        """The smallest band that holds both, which have the same factors."""
        return Band(self.factors, min(self.low, other.low), max(self.high, other.high))


@dataclass(frozen=True, slots=True)
class Domain:
    """The blocks ``first + sum(step * p)`` of a grid, all but those in a band."""

    first: tuple[int, ...]
    ways: tuple[StridedRun, ...]
    band: Band | None = None

    def block(self, place: Sequence[int]) -> tuple[int, ...]:
        """Number of the block at a place.

        Examples
        --------
        >>> Domain((0, 1), (StridedRun((0, 2), 5),)).block((3,))
        (0, 7)
        """
        number = list(self.first)
        for t, way in zip(place, self.ways, strict=True):
            if t:
                for axis, n in enumerate(way.step):
                    number[axis] += t * n
        return tuple(number)

    @property
    def places(self) -> int:
        """Number of places, those in the band too."""
        return prod([way.count for way in self.ways])

    @property
    def lines(self) -> tuple[tuple[int, DomainDiagonal], ...]:
        """The band's diagonals that have places, by their values."""
        if self.band is None:
            return ()
        factors = self.band.factors
        found = [(value, line_of(self, factors, value)) for value in self._values(self.band)]
        return tuple([(value, line) for value, line in found if line is not None])

    def _values(self, band: Band) -> Iterable[int]:
        """Values of a band's diagonals in order; of few places no others than these have."""
        low, high = value_span(band.factors, self.ways)
        values = range(max(low, band.low), min(high, band.high) + 1)
        pairs = [(c, way.count) for c, way in zip(band.factors, self.ways, strict=True) if c]
        if prod([count for _, count in pairs]) >= len(values):
            return values
        along = [range(0, c * count, c) for c, count in pairs]
        return sorted({value for value in map(sum, product(*along)) if value in values})

    @property
    def count(self) -> int:
        """Number of blocks."""
        return self.places - sum(line.domain.places for _, line in self.lines)


class DomainDiagonal(NamedTuple):
    """One diagonal of a domain.

    Attributes
    ----------
    domain
        Of its blocks: the first way is along the diagonal, the others those that it leaves alone.
    ways
        Numbers of the two ways that it takes.
    begin, turns
        The place where it begins, and how many steps of the two ways one along it takes.
    """

    domain: Domain
    ways: tuple[int, int]
    begin: Place
    turns: tuple[int, int]

    def place(self, place: Sequence[int]) -> Place:
        """The place in the line's own domain of a place that lies on it."""
        way = self.ways[0]
        along = (place[way] - self.begin[way]) // self.turns[0]
        return (along, *[t for way, t in enumerate(place) if way not in self.ways])


def value_span(factors: Sequence[int], ways: Sequence[StridedRun]) -> tuple[int, int]:
    """Least and greatest value of a form over the places of some ways."""
    ends = [c * (way.count - 1) for c, way in zip(factors, ways, strict=True)]
    return sum(min(0, e) for e in ends), sum(max(0, e) for e in ends)


def line_of(domain: Domain, factors: Sequence[int], value: int) -> DomainDiagonal | None:
    """The places with ``sum(factors * p) == value``, of two coprime factors; None for no place.

    Examples
    --------
    >>> domain = Domain((0, 0), (StridedRun((1, 0), 5), StridedRun((0, 1), 9)))
    >>> line = line_of(domain, (3, -2), 2)
    >>> line.domain.first, line.domain.ways
    ((2, 2), (StridedRun(step=(2, 3), count=2),))
    """
    a, b = [way for way, c in enumerate(factors) if c]
    one, other = factors[a], factors[b]
    pace = abs(other)
    turn = -one if other > 0 else one  # of the second way for `pace` along the first
    start = value * pow(one, -1, pace) % pace if pace > 1 else 0
    across = (value - one * start) // other
    low, high = _span_inside(start, pace, domain.ways[a].count)
    least, most = _span_inside(across, turn, domain.ways[b].count)
    low, high = max(low, least), min(high, most)
    if low > high:
        return None
    begin = [0] * len(domain.ways)
    begin[a], begin[b] = start + low * pace, across + low * turn
    steps = zip(domain.ways[a].step, domain.ways[b].step, strict=True)
    along = StridedRun(tuple([pace * n + turn * m for n, m in steps]), high - low + 1)
    rest = [way for number, way in enumerate(domain.ways) if number not in (a, b)]
    return DomainDiagonal(
        Domain(domain.block(begin), (along, *rest)), (a, b), tuple(begin), (pace, turn)
    )


def _span_inside(start: int, pace: int, count: int) -> tuple[int, int]:
    """First and last t with ``0 <= start + pace * t < count``."""
    if pace > 0:
        return -(start // pace), (count - 1 - start) // pace
    return -((count - 1 - start) // -pace), start // -pace
