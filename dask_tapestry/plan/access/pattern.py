"""Patterns: the boxes that many blocks read, as one box that moves.

Blocks that read the same box are counted, not listed: what all blocks of a column read is one
pattern, read by each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from math import gcd, prod
from operator import add, sub
from typing import Final, NamedTuple

from dask_tapestry.plan.access.access import Access, Leaf, MovingBox, UncountableError, moved
from dask_tapestry.plan.access.domain import Domain
from dask_tapestry.zspace import ZRange

MOST_LISTED: Final = 4096  # boxes of a pattern that are looked for in others; it takes 10 ms


class Steps(NamedTuple):
    """A box moves by `shift` so many times, to `places` places."""

    shift: tuple[int, ...]
    places: int


class Pattern(NamedTuple):
    """The boxes ``box + sum(shift * t)``."""

    box: ZRange
    steps: tuple[Steps, ...]

    @property
    def places(self) -> int:
        """Number of boxes."""
        return prod([step.places for step in self.steps])

    def holds(self, box: ZRange) -> bool:
        """Whether a box of the same shape is one of them."""
        return _reaches(tuple(map(sub, box.lo, self.box.lo)), self.steps)

    def boxes(self) -> Iterator[ZRange]:
        """Each box."""
        shifts = [step.shift for step in self.steps]
        for place in product(*[range(step.places) for step in self.steps]):
            yield moved(self.box, shifts, place)


def _reaches(apart: tuple[int, ...], steps: Sequence[Steps]) -> bool:
    """Whether some of each step lead so far."""
    if not steps:
        return not any(apart)
    (shift, places), *rest = steps
    axis = next(a for a, n in enumerate(shift) if n)
    alone = not any(step.shift[axis] for step in rest)
    times = [apart[axis] // shift[axis]] if alone else range(places)
    for t in times:
        left = tuple([a - t * n for a, n in zip(apart, shift, strict=True)])
        if 0 <= t < places and (not alone or not left[axis]) and _reaches(left, rest):
            return True
    return False


class Share(NamedTuple):
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
def shares_of(access: Access, value: int) -> tuple[Share, ...]:
    """The boxes of a value that the blocks of a grid need."""
    found: Counter[Pattern] = Counter()
    parts: dict[Pattern, tuple[Pattern, int]] = {}
    for leaf in access.few_leaves:
        for moving in _moving(leaf, value):
            (whole, times), *lines = _of_domain(leaf.domain, moving)
            found[whole] += times
            for line, fewer in lines:
                parts[line] = whole, fewer + parts.get(line, (whole, 0))[1]
    if parts and _are_mixed(found, parts):
        few_places(found)
        return _listed(found, parts)
    shares = []
    for line, (whole, fewer) in parts.items():
        shares.append(Share(line, found.pop(line, 0) - fewer, whole, found[whole]))
    return (*_shared(found), *shares)


def _are_mixed(found: Mapping[Pattern, int], parts: Mapping[Pattern, tuple[Pattern, int]]) -> bool:
    """Whether boxes of a line may be of other patterns than that of which it is a part."""
    whole = list(found)
    pairs = [(p, q) for p, q in combinations(whole, 2) if p not in parts and q not in parts]
    pairs += [(line, p) for line, (own, _) in parts.items() for p in whole if p not in (own, line)]
    return any(may_share(p, q) for p, q in pairs)


def _listed(
    found: Mapping[Pattern, int], parts: Mapping[Pattern, tuple[Pattern, int]]
) -> tuple[Share, ...]:
    """Each box by itself."""
    read: Counter[ZRange] = Counter()
    for pattern, times in found.items():
        for box in pattern.boxes():
            read[box] += times
    for line, (_, fewer) in parts.items():
        for box in line.boxes():
            read[box] -= fewer
    return tuple([Share(Pattern(box, ()), times) for box, times in read.items() if times])


def _shared(found: Mapping[Pattern, int]) -> Iterator[Share]:
    """The patterns, those boxes apart that are in one of more boxes too."""
    before: list[Pattern] = []
    read: dict[ZRange, int] = {}
    for pattern, times in sorted(found.items(), key=lambda item: -item[0].places):
        others = [p for p in before if may_share(p, pattern)]
        before.append(pattern)
        if not others:
            yield Share(pattern, times)
            continue
        few_places([pattern])
        for box in pattern.boxes():
            whole = next((p for p in others if p.holds(box)), None)
            inside = read.get(box, 0 if whole is None else found[whole])
            read[box] = inside + times
            yield Share(Pattern(box, ()), times, whole, inside)


def few_places(patterns: Iterable[Pattern]) -> None:
    """Raise `UncountableError` if patterns have too many boxes to look at each."""
    places = sum(p.places for p in patterns)
    if places > MOST_LISTED:
        raise UncountableError(f"{places} boxes that may be equal")


def may_share(one: Pattern, other: Pattern) -> bool:
    """Whether a box may be of both patterns."""
    if one.box.shape != other.box.shape or one.box.is_empty:
        return False
    for axis, apart in enumerate(map(sub, other.box.lo, one.box.lo)):
        low = high = -apart
        common = 0
        for pattern, sign in ((one, 1), (other, -1)):
            for shift, places in pattern.steps:
                end = sign * shift[axis] * (places - 1)
                low, high, common = low + min(0, end), high + max(0, end), gcd(common, shift[axis])
        if low > 0 or high < 0 or (apart % common if common else apart):
            return False
    return True


def _moving(leaf: Leaf, value: int) -> Iterator[MovingBox]:
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


def pattern_of(box: ZRange, steps: Iterable[tuple[tuple[int, ...], int]]) -> tuple[Pattern, int]:
    """The pattern of a box that moves along several ways, and how often it meets each place.

    Ways of one row after another are one, as those of a matrix whose cells lie in a line. All boxes
    without cells are one: a block is told their type alone.

    Examples
    --------
    >>> pattern, times = pattern_of(ZRange((0,), (5,)), [((20,), 3), ((0,), 7), ((5,), 4)])
    >>> pattern.steps, times
    ((Steps(shift=(5,), places=12),), 7)
    """
    times = 1
    moving: list[Steps] = []
    if box.is_empty:
        origin = (0,) * box.ndim
        return Pattern(ZRange(origin, origin), ()), prod([places for _, places in steps])
    for shift, places in steps:
        if places > 1 and any(shift):
            moving.append(Steps(shift, places))
        else:
            times *= places
    if len(moving) > 1:
        moving = _joined(moving)
    return Pattern(box, tuple(moving)), times


def _joined(steps: Sequence[Steps]) -> list[Steps]:
    """Steps in a fixed order, those that carry on where others end as one."""
    found: list[Steps] = []
    for shift, places in sorted(steps, key=lambda s: ([abs(n) for n in s.shift], s.shift)):
        for at, (inner, count) in enumerate(found):
            if tuple([n * count for n in inner]) == shift:
                found[at] = Steps(inner, count * places)
                break
        else:
            found.append(Steps(shift, places))
    return found


def swept(pattern: Pattern) -> ZRange:
    """The hull of all boxes of a pattern."""
    lo, hi = pattern.box.lo, pattern.box.hi
    for shift, places in pattern.steps:
        ends = [n * (places - 1) for n in shift]
        lo = tuple(map(add, lo, [min(0, n) for n in ends]))
        hi = tuple(map(add, hi, [max(0, n) for n in ends]))
    return ZRange(lo, hi)
