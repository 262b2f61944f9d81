"""Networks of minima and maxima that find the cell of one rank in every window of an array.

A network sorts by comparing fixed pairs, so it is the same for all windows, and an array of them
goes through it as vectors do. Neighbouring windows share cells: what two of them have in common is
sorted once, as the columns of a box are, and runs of columns, of twice as many each time. Only what
the wanted rank depends on is computed.

Source: K. E. Batcher, "Sorting networks and their applications" (1968), for the merges.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

Place = tuple[int, ...]
INPUT: Final = 0  # number of the value that is the array itself


class Ref(NamedTuple):
    """A value of the network, as it is at a place away from here."""

    value: int
    place: Place


class CompareStep(NamedTuple):
    """``min`` or ``max`` of two values, each at a place away from where the result is."""

    least: bool
    first: Ref
    second: Ref


class Network(NamedTuple):
    """What to compute in order: value number k + 1 is that of step k; the last one is the result.

    Attributes
    ----------
    steps
        The steps.
    result
        The value, and the place at which it is that of the window here.
    reach
        For each value, the array first, the last places at which it is needed along each axis; the
        first ones are 0.
    last
        For each value, the number of the last step that reads it.
    """

    steps: tuple[CompareStep, ...]
    result: Ref
    reach: tuple[Place, ...]
    last: tuple[int, ...]


class _Builder:
    """Steps by what they compare, so that none is there twice."""

    def __init__(self) -> None:
        self.steps: list[CompareStep] = []
        self.known: dict[CompareStep, int] = {}

    def choose(self, least: bool, a: Ref, b: Ref) -> Ref:
        """The lesser or greater of two values; alike ones elsewhere are that value elsewhere."""
        if a == b:
            return a
        base = tuple([min(p, q) for p, q in zip(a.place, b.place, strict=True)])
        near, far = (Ref(r.value, _less(r.place, base)) for r in (a, b))
        step = CompareStep(least, near, far)
        number = self.known.get(step)
        if number is None:
            self.steps.append(step)
            number = self.known[step] = len(self.steps)
        return Ref(number, base)

    def merged(self, a: list[Ref], b: list[Ref]) -> list[Ref]:
        """Two sorted lists as one, by Batcher's odd-even merge."""
        if not a or not b:
            return a or b
        if len(a) == len(b) == 1:
            return [self.choose(True, a[0], b[0]), self.choose(False, a[0], b[0])]
        even, odd = self.merged(a[::2], b[::2]), self.merged(a[1::2], b[1::2])
        found = [even[0]]
        for x, y in zip(even[1:], odd, strict=False):
            found += [self.choose(True, x, y), self.choose(False, x, y)]
        paired = min(len(even) - 1, len(odd))
        return found + even[1 + paired :] + odd[paired:]

    def ranked(self, a: list[Ref], b: list[Ref], rank: int) -> Ref:
        """The value of a rank, from 0, of two sorted lists together."""
        best: Ref | None = None
        for taken in range(max(0, rank + 1 - len(b)), min(len(a), rank + 1) + 1):
            heads = [*a[taken - 1 : taken][:taken], *b[rank - taken : rank + 1 - taken]]
            if taken == rank + 1:
                heads = heads[:1]
            top = heads[0] if len(heads) == 1 else self.choose(False, heads[0], heads[1])
            best = top if best is None else self.choose(True, best, top)
        if best is None:
            raise AssertionError("a rank is within the lists")
        return best


def _less(place: Place, base: Place) -> Place:
    return tuple([p - q for p, q in zip(place, base, strict=True)])


def _moved(refs: list[Ref], axis: int, by: int) -> list[Ref]:
    found = []
    for value, place in refs:
        there = (*place[:axis], place[axis] + by, *place[axis + 1 :])
        found.append(Ref(value, there))
    return found


@lru_cache(maxsize=32)
def box_network(window: tuple[int, ...], rank: int) -> Network:
    """The network of the cell of a rank, from 0, in boxes of these sides.

    Examples
    --------
    >>> len(box_network((3, 3), 4).steps)
    22
    """
    build = _Builder()
    runs = [Ref(INPUT, (0,) * len(window))]
    axes = [axis for axis, n in enumerate(window) if n > 1]
    for axis in axes[:-1]:
        runs = _run(build, runs, axis, window[axis])
    if not axes:
        return _finished(build, runs[0])
    axis, length = axes[-1], window[axes[-1]]
    near = 1 << ((length - 1).bit_length() - 1)  # the longest power of two that is less
    first = _run(build, runs, axis, near)
    second = _moved(_run(build, runs, axis, length - near), axis, near)
    return _finished(build, build.ranked(first, second, rank))


def _run(build: _Builder, one: list[Ref], axis: int, length: int) -> list[Ref]:
    """The sorted cells of `length` neighbours along an axis, of those of one."""
    refs: list[Ref] = []
    have, done, runs = 1, 0, one
    while have <= length:
        if length & have:
            refs = build.merged(refs, _moved(runs, axis, done))
            done += have
        if 2 * have <= length:
            runs = build.merged(runs, _moved(runs, axis, have))
        have *= 2
    return refs


@lru_cache(maxsize=32)
def places_network(places: tuple[Place, ...], rank: int) -> Network:
    """The network of the cell of a rank, from 0, among some places of windows.

    Examples
    --------
    >>> len(places_network(((0, 1), (1, 0), (1, 1), (1, 2), (2, 1)), 2).steps) < 20
    True
    """
    build = _Builder()
    lists = [[Ref(INPUT, place)] for place in places]
    while len(lists) > 2:
        pairs = [build.merged(a, b) for a, b in zip(lists[::2], lists[1::2], strict=False)]
        lists = pairs + lists[len(lists) // 2 * 2 :]
    if len(lists) == 1:
        return _finished(build, lists[0][rank])
    return _finished(build, build.ranked(lists[0], lists[1], rank))


def _finished(build: _Builder, result: Ref) -> Network:
    """The steps that the result depends on, with how far and how long each value is needed."""
    ndim = len(result.place)
    reach: dict[int, Sequence[int]] = {result.value: result.place}
    for number in range(len(build.steps), 0, -1):
        here = reach.get(number)
        if here is None:
            continue
        for value, place in build.steps[number - 1][1:]:
            far = [p + q for p, q in zip(here, place, strict=True)]
            before = reach.get(value, (0,) * ndim)
            reach[value] = [max(p, q) for p, q in zip(before, far, strict=True)]
    needed = sorted(reach)
    names = {value: number for number, value in enumerate(needed)}
    if INPUT not in names:
        raise AssertionError("a network reads its input")
    steps: list[CompareStep] = []
    last = [0] * len(needed)
    for value in needed[1:]:
        least, *refs = build.steps[value - 1]
        own = [Ref(names[r.value], r.place) for r in refs]
        for ref in own:
            last[ref.value] = len(steps)
        steps.append(CompareStep(least, *own))
    ends = tuple([tuple(reach[value]) for value in needed])
    return Network(tuple(steps), Ref(names[result.value], result.place), ends, tuple(last))
