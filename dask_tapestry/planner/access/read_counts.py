"""Read counts: which boxes the blocks of a step read, and how many blocks read each.

Blocks that read the same box are counted, not listed: what all blocks of a column read is one
pattern, read by each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from dask_tapestry.planner.access.access import (
    Access,
    ClassLeaf,
    MovingBox,
    UncountableError,
    moved,
)
from dask_tapestry.planner.access.domain import Domain
from dask_tapestry.planner.access.pattern import Pattern, pattern_of
from dask_tapestry.planner.access.pattern_pairs import PatternPairs
from dask_tapestry.planner.tuning import MOST_LISTED_BOXES
from dask_tapestry.zspace import ZRange


class ReadCount(NamedTuple):
    """A pattern, and how many blocks read each of its boxes.

    Attributes
    ----------
    times
        How many blocks read each box; of a part, how many more or fewer than of the whole.
    whole
        The pattern of which this one is a part; None where its boxes are in no other.
    inside
        How many blocks read each box of the whole.
    """

    pattern: Pattern
    times: int
    whole: Pattern | None = None
    inside: int = 0


@lru_cache(maxsize=1024)
def read_counts_of(access: Access, value: int) -> tuple[ReadCount, ...]:
    """The boxes of a value that the blocks of a grid need."""
    patterns: Counter[Pattern] = Counter()
    parts: dict[Pattern, tuple[Pattern, int]] = {}
    for leaf in access.few_leaves:
        for moving in _moving(leaf, value):
            (whole, times), *lines = _of_domain(leaf.domain, moving)
            patterns[whole] += times
            for line, fewer in lines:
                parts[line] = whole, fewer + parts.get(line, (whole, 0))[1]
    if parts and _are_mixed(patterns, parts):
        few_places(patterns)
        return _listed(patterns, parts)
    shares = []
    for line, (whole, fewer) in parts.items():
        shares.append(ReadCount(line, patterns.pop(line, 0) - fewer, whole, patterns[whole]))
    return (*_read_counts(patterns), *shares)


def _are_mixed(found: Mapping[Pattern, int], parts: Mapping[Pattern, tuple[Pattern, int]]) -> bool:
    """Whether boxes of a line may be of other patterns than that of which it is a part."""
    patterns = list(dict.fromkeys([*found, *parts]))
    pairs = PatternPairs(patterns)
    alike = ((patterns[m], p) for n, p in enumerate(patterns) for m in pairs.sharing(n))
    return any(_mixes(found, parts, *pair) for pair in alike)


def _mixes(
    counts: Mapping[Pattern, int],
    parts: Mapping[Pattern, tuple[Pattern, int]],
    pattern: Pattern,
    other: Pattern,
) -> bool:
    if pattern not in parts and other not in parts:
        return True
    ways = ((pattern, other), (other, pattern))
    return any(line in parts and p in counts and p != parts[line][0] for line, p in ways)


def _listed(
    found: Mapping[Pattern, int], parts: Mapping[Pattern, tuple[Pattern, int]]
) -> tuple[ReadCount, ...]:
    """Each box by itself."""
    times_read: Counter[ZRange] = Counter()
    for pattern, times in found.items():
        for box in pattern.boxes():
            times_read[box] += times
    for line, (_, fewer) in parts.items():
        for box in line.boxes():
            times_read[box] -= fewer
    return tuple([ReadCount(Pattern(box, ()), times) for box, times in times_read.items() if times])


def _read_counts(counts: Mapping[Pattern, int]) -> Iterator[ReadCount]:
    """The patterns, those boxes apart that are in one of more boxes too."""
    times_read: dict[ZRange, int] = {}
    patterns = sorted(counts, key=lambda pattern: -pattern.places)
    pairs = PatternPairs(patterns)
    for number, pattern in enumerate(patterns):
        times = counts[pattern]
        overlapping = [patterns[n] for n in pairs.sharing(number)]
        if not overlapping:
            yield ReadCount(pattern, times)
            continue
        few_places([pattern])
        for box in pattern.boxes():
            whole = next((p for p in overlapping if p.holds(box)), None)
            inside = times_read.get(box, 0 if whole is None else counts[whole])
            times_read[box] = inside + times
            yield ReadCount(Pattern(box, ()), times, whole, inside)


def few_places(patterns: Iterable[Pattern]) -> None:
    """Raise `UncountableError` if patterns have too many boxes to look at each."""
    places = sum(p.places for p in patterns)
    if places > MOST_LISTED_BOXES:
        raise UncountableError(f"{places} boxes that may be equal")


def _moving(leaf: ClassLeaf, value: int) -> Iterator[MovingBox]:
    """The boxes of a value at the first block of a leaf's domain."""
    translates = leaf.translates
    for at, box in enumerate(leaf.schedule.boxes[value]):
        still = (0,) * box.ndim
        shifts = tuple([s[value][at] if s else still for s in translates.shifts])
        yield MovingBox(moved(box, shifts, [-t for t in translates.place]), shifts)


def _of_domain(domain: Domain, moving: MovingBox) -> Iterator[tuple[Pattern, int]]:
    """A box at all places of a domain, and what of it lies on the lines of the band."""
    places = [way.count for way in domain.ways]
    yield pattern_of(moving.box, zip(moving.shifts, places, strict=True))
    for _, line in domain.lines:
        (a, b), (pace, turn) = line.ways, line.turns
        ends = zip(moving.shifts[a], moving.shifts[b], strict=True)
        along = tuple([pace * m + turn * n for m, n in ends])
        rest = [shift for way, shift in enumerate(moving.shifts) if way not in line.ways]
        counts = [way.count for way in line.domain.ways]
        box = moved(moving.box, moving.shifts, line.begin)
        yield pattern_of(box, zip([along, *rest], counts, strict=True))
