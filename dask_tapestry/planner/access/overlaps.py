"""Overlaps: how boxes that move lie on blocks that are cut, counted by kinds.

Positions recur after some steps, so one period tells all: the work does not grow with the number of
places. Axes that move together are counted together; the others multiply.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import gcd, lcm, prod
from typing import NamedTuple

from dask_tapestry.planner.access.access import UncountableError
from dask_tapestry.planner.access.pattern import Pattern
from dask_tapestry.planner.tuning import MOST_PLACES
from dask_tapestry.zspace import Cuts


class Overlap(NamedTuple):
    """The number of cells of a block that are read, and the number that the block has."""

    part: int
    held: int


Kinds = Mapping[Overlap, int]
"""How many times boxes and blocks overlap so."""

ONE: Kinds = {Overlap(1, 1): 1}


class BlockOverlap(NamedTuple):
    """How boxes lie on blocks, along axes that move together.

    Attributes
    ----------
    kinds
        Of all overlaps of boxes and blocks.
    largest
        Cells of each box's largest overlap, of all boxes.
    """

    kinds: Kinds
    largest: int


def block_overlaps_of(pattern: Pattern, cuts: tuple[Cuts, ...]) -> list[BlockOverlap]:
    """How the boxes of a pattern lie on blocks, for groups of axes that move independently."""
    by_axes = []
    for axes, numbers in groups_of(pattern):
        spans = tuple([(pattern.box.lo[a], pattern.box.hi[a]) for a in axes])
        steps = [pattern.steps[number] for number in numbers]
        paces = tuple([(tuple([s.shift[a] for a in axes]), s.places) for s in steps])
        by_axes.append(_block_overlap(tuple([cuts[a] for a in axes]), spans, paces))
    return by_axes


def combined(kinds: Sequence[Kinds]) -> Kinds:
    """The kinds of overlaps over all groups."""
    whole: Counter[Overlap] = Counter(ONE)
    if prod(map(len, kinds)) > MOST_PLACES:
        raise UncountableError("too many kinds of overlaps")
    for group in kinds:
        if len(whole) == 1 and len(group) == 1:
            ((one, n),), ((other, m),) = whole.items(), group.items()
            whole = Counter({Overlap(one.part * other.part, one.held * other.held): n * m})
            continue
        made: Counter[Overlap] = Counter()
        for (one, n), (other, m) in product(whole.items(), group.items()):
            made[Overlap(one.part * other.part, one.held * other.held)] += n * m
        whole = made
    return whole


def groups_of(pattern: Pattern) -> list[tuple[list[int], list[int]]]:
    """Axes and steps that move together."""
    groups: list[tuple[list[int], list[int]]] = [([a], []) for a in range(pattern.box.ndim)]
    for number, step in enumerate(pattern.steps):
        axes: list[int] = []
        steps = [number]
        unmoved = []
        for group in groups:
            if any(step.shift[a] for a in group[0]):
                axes += group[0]
                steps += group[1]
            else:
                unmoved.append(group)
        groups = [*unmoved, (sorted(axes), steps)]
    return groups


@lru_cache(maxsize=8192)
def _block_overlap(
    cuts: tuple[Cuts, ...],
    spans: tuple[tuple[int, int], ...],
    paces: tuple[tuple[tuple[int, ...], int], ...],
) -> BlockOverlap:
    overlaps: Counter[Overlap] = Counter()
    largest = 0
    if len(paces) == 1:
        places = [_representatives(cuts, spans, *paces[0])]
    else:
        places = [
            [(t, 1) for t in range(count)] for count in _limited_counts([n for _, n in paces])
        ]
    for place in product(*places):
        times = prod([n for _, n in place])
        along = []
        for axis, (cut, (lo, hi)) in enumerate(zip(cuts, spans, strict=True)):
            by = sum(shift[axis] * t for (shift, _), (t, _) in zip(paces, place, strict=True))
            along.append(on_axis(cut, lo + by, hi + by))
        for overlap, n in (combined(along) if len(along) > 1 else along[0]).items():
            overlaps[overlap] += n * times
        largest += times * prod([max([o.part for o in kinds], default=0) for kinds in along])
    return BlockOverlap(overlaps, largest)


def _limited_counts(counts: list[int]) -> list[int]:
    """The counts; `UncountableError` if they make too many places together."""
    if prod(counts) > MOST_PLACES:
        raise UncountableError(f"{prod(counts)} places of a box")
    return counts


def _representatives(
    cuts: tuple[Cuts, ...], spans: tuple[tuple[int, int], ...], shift: tuple[int, ...], count: int
) -> list[tuple[int, int]]:
    """Places that stand for all of a row, each with the number of those it stands for."""
    if any(c.edges for c in cuts) or count < 3:
        return [(t, 1) for t in range(*_limited_counts([count]))]
    period = lcm(*[c.step // gcd(c.step, abs(n)) for c, n in zip(cuts, shift, strict=True)])
    first, end = 0, count
    for cut, (lo, hi), pace in zip(cuts, spans, shift, strict=True):
        low, high = _inner(cut)
        a, b = _steps_between(lo, hi, pace, low, high, count)
        first, end = max(first, a), min(end, b)
    if end - first <= period:
        return [(t, 1) for t in range(*_limited_counts([count]))]
    _limited_counts([first + count - end + period])
    found = [(t, 1) for t in (*range(first), *range(end, count))]
    whole, more = divmod(end - first, period)
    found += [(first + t, whole + (t < more)) for t in range(period)]
    return found


def _inner(cuts: Cuts) -> tuple[int, int]:
    """Where blocks of one length begin and end."""
    last = cuts.block(cuts.count - 1)
    low = 0 if cuts.lead == cuts.step else cuts.block(0)[1]
    return low, last[1] if last[1] - last[0] == cuts.step else last[0]


def _steps_between(lo: int, hi: int, pace: int, low: int, high: int, count: int) -> tuple[int, int]:
    """First and one-past-last step at which a moving span lies within two coordinates."""
    if not pace:
        return (0, count) if low <= lo and hi <= high else (0, 0)
    if pace > 0:
        return max(0, -((lo - low) // pace)), min(count, (high - hi) // pace + 1)
    return max(0, -((high - hi) // -pace)), min(count, (lo - low) // -pace + 1)


@lru_cache(maxsize=8192)
def on_axis(cuts: Cuts, lo: int, hi: int) -> Kinds:
    """How ``[lo, hi)`` lies on the blocks of one axis.

    Examples
    --------
    >>> dict(on_axis(Cuts.regular(100, 10), 8, 35))
    {Overlap(part=2, held=10): 1, Overlap(part=5, held=10): 1, Overlap(part=10, held=10): 2}
    """
    overlaps: Counter[Overlap] = Counter()
    if lo >= hi:
        return overlaps
    first, end = cuts.overlapping(lo, hi)
    for number in {first, end - 1} if not cuts.edges else range(first, end):
        a, b = cuts.block(number)
        overlaps[Overlap(min(b, hi) - max(a, lo), b - a)] += 1
    if not cuts.edges and end - first > 2:
        overlaps[Overlap(cuts.step, cuts.step)] += end - first - 2
    return overlaps


def parts_on_axis(cuts: Cuts, lo: int, hi: int) -> Iterator[tuple[int, int, int, int]]:
    """Number of each block that ``[lo, hi)`` meets, its part there, and its length."""
    for number in range(*cuts.overlapping(lo, hi)):
        a, b = cuts.block(number)
        yield number, max(a, lo), min(b, hi), b - a
