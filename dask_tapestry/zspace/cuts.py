"""Cuts: how one dimension is divided into consecutive blocks, written compactly."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final

from dask_tapestry.basic_errors import ArgumentError

MOST_LISTED: Final = 10**7  # blocks, of which a list has 80 MB


class _Derived:
    """What is known of cuts beside their fields, as a planner asks for it thousands of times.

    Attributes
    ----------
    count
        Number of blocks.
    """

    __slots__ = ("_hash", "count")
    _hash: int
    count: int


@dataclass(frozen=True, slots=True)
class Cuts(_Derived):
    """Blocks of `step` cells, the first of `lead`, over `extent` cells; or explicit `edges`.

    A dimension without cells is one empty block. The size of this object does not grow with the
    number of blocks unless they are irregular.

    Examples
    --------
    >>> cuts = Cuts.regular(10, 4)
    >>> list(cuts.lengths()), cuts.block(2), cuts.locate(7)
    ([4, 4, 2], (8, 10), 1)
    >>> Cuts.of_lengths([3, 1, 4])
    Cuts(extent=8, step=0, lead=0, edges=(0, 3, 4, 8))
    """

    extent: int
    step: int
    lead: int
    edges: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", self._counted())
        object.__setattr__(self, "_hash", hash((self.extent, self.step, self.lead, self.edges)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[type[Cuts], tuple[object, ...]]:
        return Cuts, (self.extent, self.step, self.lead, self.edges)

    @classmethod
    def regular(cls, extent: int, step: int, lead: int | None = None) -> Cuts:
        """Blocks of `step` cells after a first one of `lead`, by default `step` too."""
        return _regular(extent, step, lead)

    @classmethod
    def of_lengths(cls, lengths: Sequence[int]) -> Cuts:
        """Blocks of the given lengths."""
        if any(n < 0 for n in lengths):
            raise ArgumentError(f"block lengths must not be negative: {tuple(lengths)}")
        full = [n for n in lengths if n]
        extent = sum(full)
        if not full:
            return cls.regular(0, 1)
        steps = set(full[1:-1])
        if len(full) == 1 or (
            len(steps) <= 1 and full[-1] <= (step := next(iter(steps), full[0])) and full[0] <= step
        ):
            return cls.regular(extent, full[0] if len(full) == 1 else step, full[0])
        return cls(extent, 0, 0, tuple(accumulate(full, initial=0)))

    @classmethod
    def in_a_row(cls, several: Sequence[Cuts], most: int = MOST_LISTED) -> Cuts | None:
        """Those of several extents, one behind the other; None for more than `most` uneven ones.

        Examples
        --------
        >>> str(Cuts.in_a_row([Cuts.regular(8, 4), Cuts.regular(4, 4), Cuts.regular(3, 3)]))
        '4x4'
        >>> list(Cuts.in_a_row([Cuts.regular(5, 4), Cuts.regular(6, 4)]).lengths())
        [4, 1, 4, 2]
        """
        filled = [cuts for cuts in several if cuts.extent]
        if sum([cuts.count for cuts in filled]) <= most:
            return cls.of_lengths([n for cuts in filled for n in cuts.lengths()])
        step = filled[0].longest
        *others, last = filled
        whole = all(cuts == cls.regular(cuts.extent, step) for cuts in filled)
        if not whole or any(cuts.extent % step for cuts in others) or last.longest > step:
            return None
        return cls.regular(sum([cuts.extent for cuts in filled]), step)

    def _counted(self) -> int:
        if self.edges:
            return len(self.edges) - 1
        if not self.step:  # no cuts, which `verify` says of a damaged plan
            return 0
        return 1 + -(-max(self.extent - self.lead, 0) // self.step)

    def block(self, number: int) -> tuple[int, int]:
        """First and one-past-last coordinate of a block."""
        if self.edges:
            return self.edges[number], self.edges[number + 1]
        hi = self.lead + number * self.step
        return hi - self.step if number else 0, min(hi, self.extent)

    def locate(self, coordinate: int) -> int:
        """Number of the block that holds `coordinate`."""
        if self.edges:
            return bisect_right(self.edges, coordinate) - 1
        return 0 if coordinate < self.lead else 1 + (coordinate - self.lead) // self.step

    def overlapping(self, lo: int, hi: int) -> tuple[int, int]:
        """First and one-past-last number of the blocks that meet ``[lo, hi)``."""
        return (self.locate(lo), self.locate(hi - 1) + 1) if hi > lo else (0, 0)

    def whole(self, lo: int, hi: int) -> tuple[int, int]:
        """Where the blocks begin and end that meet ``[lo, hi)``, which has cells.

        Examples
        --------
        >>> Cuts.of_lengths([3, 1, 4]).whole(3, 5)
        (3, 8)
        """
        return self.block(self.locate(lo))[0], self.block(self.locate(hi - 1))[1]

    def inner_edges(self) -> Iterator[int]:
        """The edges between blocks."""
        if self.edges:
            yield from self.edges[1:-1]
        else:
            yield from range(self.lead, self.extent, self.step)

    def lengths(self) -> Iterator[int]:
        """Lengths of the blocks."""
        for a, b in pairwise((0, *self.inner_edges(), self.extent)):
            yield b - a

    def listed(self) -> tuple[int, ...]:
        """Lengths of the blocks, all at once.

        Raises
        ------
        ArgumentError
            If there are more than a list should have.
        """
        if self.count > MOST_LISTED:
            raise ArgumentError(
                f"{self.count:,} chunks along an axis of {self.extent:,} cells are too many to "
                "list: ask for numblocks or chunksize, or rechunk"
            )
        return tuple(self.lengths())

    @property
    def longest(self) -> int:
        """Length of the longest block."""
        if self.edges:
            return max(self.lengths())
        return max(min(self.lead, self.extent), min(self.step, self.extent - self.lead))

    def window(self, start: int, step: int, count: int) -> Cuts:
        """Cuts of the coordinates ``start, start + step, ...`` (`count` of them), renumbered.

        Examples
        --------
        >>> list(Cuts.regular(10, 4).window(3, 1, 6).lengths())
        [1, 4, 1]
        """
        if count < 1:
            return Cuts.regular(0, 1)
        last = start + step * (count - 1)
        if not self.edges and self.step % step == 0:
            edge = self.block(self.locate(start))[1]
            return Cuts.regular(count, self.step // step, max(1, -(-(edge - start) // step)))
        if not self.edges and step >= max(self.step, self.lead):
            return Cuts.regular(count, 1)
        low = self.locate(start)
        ends = [self.block(i)[1] for i in range(low, self.locate(last))]
        edges = sorted({0, count, *(-(-(e - start) // step) for e in ends)})
        return Cuts.of_lengths([b - a for a, b in pairwise(edges)])

    def reversed(self) -> Cuts:
        """Cuts of the coordinates in the opposite order.

        Examples
        --------
        >>> list(Cuts.regular(10, 4).reversed().lengths())
        [2, 4, 4]
        """
        if self.edges:
            return Cuts(self.extent, 0, 0, tuple(self.extent - e for e in self.edges[::-1]))
        if self.count == 1:
            return self
        lo, hi = self.block(self.count - 1)
        if self.lead > self.step:
            return Cuts.of_lengths(list(self.lengths())[::-1])
        return Cuts.regular(self.extent, self.step, hi - lo)

    def common(self, other: Cuts) -> Cuts:
        """Cuts at the edges of both, which are of one extent.

        Examples
        --------
        >>> list(Cuts.regular(10, 4).common(Cuts.regular(10, 5)).lengths())
        [4, 1, 3, 2]
        """
        if self == other or other.count == 1:
            return self
        if self.count == 1:
            return other
        edges = sorted({0, *self.inner_edges(), *other.inner_edges(), self.extent})
        return Cuts.of_lengths([hi - lo for lo, hi in pairwise(edges)])

    def grouped(self, most: int) -> Cuts:
        """Blocks of as many whole ones in a row as have no more than `most` cells, or of one.

        Examples
        --------
        >>> list(Cuts.of_lengths([3, 1, 4, 2, 2]).grouped(5).lengths())
        [4, 4, 4]
        """
        if most >= self.extent or (not self.edges and self.lead == self.step):
            whole = self.extent if most >= self.extent else most // self.step * self.step
            return Cuts.regular(self.extent, max(1, self.step, whole))
        grouped: list[int] = []
        for length in self.lengths():
            if grouped and grouped[-1] + length <= most:
                grouped[-1] += length
            else:
                grouped.append(length)
        return Cuts.of_lengths(grouped)

    def has_edge(self, coordinate: int) -> bool:
        """Whether a block begins at `coordinate`, or the extent ends there."""
        if coordinate in (0, self.extent):
            return True
        if self.edges:
            at = bisect_left(self.edges, coordinate)
            return at < len(self.edges) and self.edges[at] == coordinate
        return coordinate >= self.lead and (coordinate - self.lead) % self.step == 0

    def __str__(self) -> str:
        if self.count == 1:
            return str(self.extent)
        if self.edges:
            shown = ", ".join(map(str, list(self.lengths())[:6]))
            return f"({shown}{', …' if self.count > 6 else ''})"
        lead = f"{self.lead} + " if self.lead != self.step else ""
        return f"{lead}{self.count - bool(lead)}x{self.step}"


@lru_cache(maxsize=4096, typed=True)
def _regular(extent: int, step: int, lead: int | None) -> Cuts:
    if step < 1 or (lead is not None and lead < 1):
        raise ArgumentError(f"blocks must have at least one cell, got step {step}, lead {lead}")
    step = min(step, max(extent, 1))
    lead = step if lead is None else min(lead, max(extent, 1))
    return _one_of(Cuts(extent, max(step, lead) if lead >= extent else step, lead))


@lru_cache(maxsize=4096)
def _one_of(cuts: Cuts) -> Cuts:
    """Return one object for equal cuts, as a planner compares thousands of them."""
    return cuts
