"""Patterns: the boxes that many blocks read, as one box that moves.

What all blocks of a row read of their neighbours is one box and how it moves, not a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import prod
from operator import add, sub
from typing import NamedTuple

from dask_tapestry.first import first_of
from dask_tapestry.planner.access.access import moved
from dask_tapestry.zspace import ZRange


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
        longest_first = sorted(self.steps, key=_length, reverse=True)
        return _reaches(tuple(map(sub, box.lo, self.box.lo)), longest_first)

    def boxes(self) -> Iterator[ZRange]:
        """Each box."""
        shifts = [step.shift for step in self.steps]
        for place in product(*[range(step.places) for step in self.steps]):
            yield moved(self.box, shifts, place)


def _length(step: Steps) -> int:
    return max(map(abs, step.shift), default=0)


def _reaches(offset: tuple[int, ...], steps: Sequence[Steps]) -> bool:
    """Whether some of each step lead so far."""
    if not steps:
        return not any(offset)
    (shift, places), *rest = steps
    axis = first_of((a for a, n in enumerate(shift) if n), "axis along which steps lead")
    for t in _times(offset[axis], shift[axis], places, [(s.shift[axis], s.places) for s in rest]):
        if _reaches(tuple([a - t * n for a, n in zip(offset, shift, strict=True)]), rest):
            return True
    return False


def _times(offset: int, shift: int, limit: int, rest: Sequence[tuple[int, int]]) -> range:
    """How often a shift along an axis is taken, if the rest can lead as far as is left.

    A few times at most where steps are longer than all shorter ones together, as those of blocks
    and of chunks in them are.
    """
    ends = [n * (count - 1) for n, count in rest]
    nearest, farthest = (
        offset - sum(n for n in ends if n > 0),
        offset - sum(n for n in ends if n < 0),
    )
    if shift < 0:
        shift, nearest, farthest = -shift, -farthest, -nearest
    return range(max(0, -(-nearest // shift)), min(limit - 1, farthest // shift) + 1)


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
    joined_steps: list[Steps] = []
    for shift, step_count in sorted(steps, key=lambda s: ([abs(n) for n in s.shift], s.shift)):
        for at, (inner, count) in enumerate(joined_steps):
            if tuple([n * count for n in inner]) == shift:
                joined_steps[at] = Steps(inner, count * step_count)
                break
        else:
            joined_steps.append(Steps(shift, step_count))
    return joined_steps


def swept_hull(pattern: Pattern) -> ZRange:
    """The hull of all boxes of a pattern."""
    lo, hi = pattern.box.lo, pattern.box.hi
    for shift, places in pattern.steps:
        ends = [n * (places - 1) for n in shift]
        lo = tuple(map(add, lo, [min(0, n) for n in ends]))
        hi = tuple(map(add, hi, [max(0, n) for n in ends]))
    return ZRange(lo, hi)
