"""Overlap of moving boxes: where boxes of one value that move apart are near each other.

What a block reads of a value for several purposes is merged where that holds no more cells. When
the boxes move together from block to block, the outcome is the same for all; when they do not, as
the rows and columns of ``x + x.T``, it depends on how far they are apart. Beyond some distance they
are always read by themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import floor, gcd, prod
from typing import NamedTuple

from dask_tapestry.first import first_of
from dask_tapestry.steps.tuning import EXTRA_CELLS, FEW_BOX_CELLS
from dask_tapestry.zspace import ZRange


class ShiftedBox(NamedTuple):
    """A box, and how it moves with a step along each way."""

    box: ZRange
    shifts: tuple[tuple[int, ...], ...]


class ProximityBand(NamedTuple):
    """Places where moving boxes are near each other: ``low <= sum(factors * place) <= high``.

    Attributes
    ----------
    ways
        Numbers of the ways along which they move apart.
    factors
        One for each of these; None where no such form tells.
    """

    ways: tuple[int, ...]
    factors: tuple[int, ...] | None = None
    low: int = 0
    high: int = 0


def proximity_band(
    moving: Sequence[ShiftedBox], place: Sequence[int], counts: Sequence[int]
) -> ProximityBand | None:
    """The blocks near which boxes may be merged otherwise than elsewhere; None if there are none.

    Parameters
    ----------
    moving
        The boxes at `place`, of which none is empty.
    counts
        Number of places along each way.
    """
    pairs = [
        (a, b) for at, a in enumerate(moving) for b in moving[at + 1 :] if a.shifts != b.shifts
    ]
    if _never_merged(pairs, _largest_merge(moving)) or _one_holds_all(moving, place, counts):
        return None
    rates = {_rate(a, b, axis) for a, b in pairs for axis in range(a.box.ndim)}
    rates = {rate for rate in rates if any(rate)}
    ways = tuple([way for way in range(len(counts)) if any(rate[way] for rate in rates)])
    forms = {_primitive(rate) for rate in rates}
    if len(forms) != 1 or len(ways) > 2:
        return ProximityBand(ways)
    (form,) = forms
    low, high = _proximity_range(moving, pairs, form)
    here = sum(c * t for c, t in zip(form, place, strict=True))
    return ProximityBand(ways, tuple([form[way] for way in ways]), here + low, here + high)


def _never_merged(pairs: Sequence[tuple[ShiftedBox, ShiftedBox]], most: int) -> bool:
    """Whether no two boxes that move apart are merged, wherever they lie.

    So are rows and columns of a product: even where they meet, their hull is larger than boxes are
    merged into.
    """
    return all(
        prod([max(sides) for sides in zip(a.box.shape, b.box.shape, strict=True)]) > most
        for a, b in pairs
    )


def _largest_merge(moving: Sequence[ShiftedBox]) -> int:
    """Cells of the largest box that some of them may be merged into."""
    cells = sum(box.size for box in {m: m.box for m in moving}.values())
    return max(FEW_BOX_CELLS, floor(cells + EXTRA_CELLS * cells))


def _one_holds_all(
    moving: Sequence[ShiftedBox], place: Sequence[int], counts: Sequence[int]
) -> bool:
    """Whether one box contains the others everywhere: then it is what is read."""
    holder = max(moving, key=lambda m: m.box.size)
    for other in moving:
        for axis in range(other.box.ndim):
            before = other.box.lo[axis] - holder.box.lo[axis]
            behind = holder.box.hi[axis] - other.box.hi[axis]
            for rate, at, count in zip(_rate(other, holder, axis), place, counts, strict=True):
                ends = -at * rate, (count - 1 - at) * rate
                before, behind = before + min(ends), behind - max(ends)
            if before < 0 or behind < 0:
                return False
    return True


def _rate(a: ShiftedBox, b: ShiftedBox, axis: int) -> tuple[int, ...]:
    """How `a` moves against `b` along an axis, with a step along each way."""
    return tuple([p[axis] - q[axis] for p, q in zip(a.shifts, b.shifts, strict=True)])


def _primitive(rate: tuple[int, ...]) -> tuple[int, ...]:
    """The form that a rate is a multiple of, its first factor positive."""
    common = gcd(*rate) if first_of(filter(None, rate), "rate") > 0 else -gcd(*rate)
    return tuple([c // common for c in rate])


def _proximity_range(
    moving: Sequence[ShiftedBox],
    pairs: Sequence[tuple[ShiftedBox, ShiftedBox]],
    form: tuple[int, ...],
) -> tuple[int, int]:
    """Least and greatest value of the form, against here, at which boxes are near each other.

    Beyond them any two lie side by side along all axes along which they move apart, so their hull
    grows with the distance; they are near until it is larger than boxes are merged into.
    """
    way = first_of((at for at, c in enumerate(form) if c), "way along which boxes move apart")
    lows, highs = [], []
    for a, b in pairs:
        for axis in range(a.box.ndim):
            pace = _rate(a, b, axis)[way] // form[way]
            ahead, behind = b.box.hi[axis] - a.box.lo[axis], a.box.hi[axis] - b.box.lo[axis]
            if pace:
                if pace < 0:
                    ahead, behind = behind, ahead
                highs.append(-(-ahead // abs(pace)))
                lows.append(behind // -abs(pace))
    most = _largest_merge(moving)
    distances = [
        [
            (a.box.lo[axis], a.box.hi[axis], b.box.lo[axis], b.box.hi[axis], pace)
            for axis in range(a.box.ndim)
            for pace in (_rate(b, a, axis)[way] // form[way],)
        ]
        for a, b in pairs
    ]

    def is_far(value: int) -> bool:
        return all(
            prod([max(h, q + pace * value) - min(o, p + pace * value) for o, h, p, q, pace in axes])
            > most
            for axes in distances
        )

    return _first(is_far, min(lows), -1) + 1, _first(is_far, max(highs), 1) - 1


def _first(holds: Callable[[int], bool], start: int, turn: int) -> int:
    """First value from `start` on, upwards or downwards, from which on a condition holds."""
    if holds(start):
        return start
    reach = 1
    while not holds(start + turn * reach):
        reach *= 2
    fails = reach // 2
    while reach - fails > 1:
        middle = (reach + fails) // 2
        if holds(start + turn * middle):
            reach = middle
        else:
            fails = middle
    return start + turn * reach
