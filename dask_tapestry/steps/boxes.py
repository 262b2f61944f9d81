"""Boxes of a value: which are held, so that each that is read lies in one of them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from math import prod
from operator import le, sub

from dask_tapestry.errors import PlanError
from dask_tapestry.steps.tuning import FEW_BOX_CELLS
from dask_tapestry.zspace import ZRange
from dask_tapestry.zspace.range import trusted_range


def rounded_out(box: ZRange, together: tuple[int, ...], shape: tuple[int, ...]) -> ZRange:
    """The smallest box that holds `box` and whose edges are between cells computed together.

    An empty box stays as it is.
    """
    if box.is_empty:
        return box
    lo = tuple([a // n * n if n else 0 for a, n in zip(box.lo, together, strict=True)])
    ends = zip(box.hi, together, shape, strict=True)
    hi = [min(-(-b // n) * n, extent) if n else extent for b, n, extent in ends]
    return trusted_range(lo, tuple(hi))


def merged(
    boxes: Sequence[ZRange], outer: Sequence[ZRange] = (), room: float = 0.0
) -> tuple[ZRange, ...]:
    """Boxes that together hold all `boxes`: the hulls of near ones, which have no more cells.

    Hulls of few cells are always taken: in a chain of stencils boxes would multiply. The first box
    decides on the place of the hull that it is in.

    Parameters
    ----------
    within
        Boxes of which each must lie in one: those that lie in the same one are merged.
    room
        How many more cells hulls may have, as a part of those of their boxes.

    Raises
    ------
    PlanError
        If a box lies in none of those that it must lie within.
    """
    if len(boxes) < 2:
        return tuple(boxes)
    only = boxes[0]
    if all(box is only for box in boxes):
        return (only,)
    found = _merged(tuple(boxes), tuple(outer) if len(outer) > 1 else (), room)
    alone = len(found) == len(boxes) and len(outer) < 2
    return tuple(boxes) if alone else found  # these objects: who reads one finds it by its number


@lru_cache(maxsize=8192)  # blocks that differ elsewhere, and ways to hold values, read the same
def _merged(
    boxes: tuple[ZRange, ...], outer: tuple[ZRange, ...], room: float
) -> tuple[ZRange, ...]:
    """The hulls of near boxes of some, of which not all need be different ones, or have cells."""
    filled = list(dict.fromkeys([box for box in boxes if not box.is_empty]))
    if len(filled) < 2:
        return tuple(filled or boxes[:1])
    return _within(filled, outer, room) if outer else _hulls(tuple(filled), room)


def _within(filled: Sequence[ZRange], outer: tuple[ZRange, ...], room: float) -> tuple[ZRange, ...]:
    """The hulls of boxes that lie in the same one of others."""
    groups: dict[int, list[ZRange]] = defaultdict(list)
    index = BoxIndex(outer)
    for box in filled:
        groups[holder(outer, box, index)].append(box)
    found = [
        _hulls(tuple(group), room) if len(group) > 1 else (group[0],) for group in groups.values()
    ]
    return found[0] if len(found) == 1 else _outermost([one for own in found for one in own])


class _Hull:
    """The hull of some boxes.

    Attributes
    ----------
    first
        Number of the first of them.
    lo, hi
        Its bounds.
    cells
        Cells of the boxes, as far as is known: no more than they have together, nor than it has.
        Those that several have are so counted once, when boxes overlap.
    """

    __slots__ = ("cells", "first", "hi", "lo")

    def __init__(self, first: int, lo: Sequence[int], hi: Sequence[int], cells: int) -> None:
        self.first, self.lo, self.hi, self.cells = first, lo, hi, cells

    def take(self, other: _Hull, room: float) -> bool:
        """Grow to the hull of both, if there is room for it; say whether."""
        lo = [min(a, b) for a, b in zip(self.lo, other.lo, strict=True)]
        hi = [max(a, b) for a, b in zip(self.hi, other.hi, strict=True)]
        size = prod([b - a for a, b in zip(lo, hi, strict=True)])
        cells = self.cells + other.cells
        if size > max(FEW_BOX_CELLS, cells + room * cells):
            return False
        self.first, self.lo, self.hi = min(self.first, other.first), lo, hi
        self.cells = min(size, cells)
        return True


def _hulls(boxes: tuple[ZRange, ...], room: float) -> tuple[ZRange, ...]:
    """The hulls of boxes near each other, in the order of their first ones."""
    if len(boxes) == 2:
        return _of_two(boxes[0], boxes[1], room)
    return _of_several(boxes, room)


@lru_cache(maxsize=8192)  # each way to hold the values of a step has some of the same boxes
def _of_several(boxes: tuple[ZRange, ...], room: float) -> tuple[ZRange, ...]:
    """The hulls of three boxes or more.

    Whether two are merged does not depend on others that are far away. Of boxes of many cells it
    does not depend on the axes along which all are alike, either: the days of a month lie so in
    maps of any size.
    """
    first = boxes[0]
    axes = [a for a in range(first.ndim) if _differ(boxes, a)]
    if len(axes) == first.ndim or min([box.size for box in boxes]) < FEW_BOX_CELLS:
        return _compared(boxes, room)
    lo, hi = list(first.lo), list(first.hi)
    found = list[ZRange]()
    for hull in _across(tuple([tuple([(b.lo[a], b.hi[a]) for a in axes]) for b in boxes]), room):
        for axis, a, b in zip(axes, hull.lo, hull.hi, strict=False):
            lo[axis], hi[axis] = a, b
        found.append(trusted_range(tuple(lo), tuple(hi)))
    return tuple(found)


def _of_two(one: ZRange, other: ZRange, room: float) -> tuple[ZRange, ...]:
    """The hull of two boxes if it has few enough cells, or these: in a fortieth of the time."""
    lo, hi = tuple(map(min, one.lo, other.lo)), tuple(map(max, one.hi, other.hi))
    cells = one.size + other.size
    if prod(map(sub, hi, lo)) <= max(FEW_BOX_CELLS, cells + room * cells):
        return (trusted_range(lo, hi),)
    return one, other


@lru_cache(maxsize=1024)  # blocks of a map are taken of the same days
def _across(spans: tuple[tuple[tuple[int, int], ...], ...], room: float) -> tuple[ZRange, ...]:
    """The hulls of large boxes by the axes along which they differ, and one of enough cells."""
    boxes = [
        trusted_range((*[a for a, _ in box], 0), (*[b for _, b in box], FEW_BOX_CELLS))
        for box in spans
    ]
    return _compared(boxes, room)


def _compared(boxes: Sequence[ZRange], room: float) -> tuple[ZRange, ...]:
    """The hulls of boxes that are compared with each other along all axes."""
    lo = tuple(map(min, *[box.lo for box in boxes]))
    hi = tuple(map(max, *[box.hi for box in boxes]))
    sizes = [box.size for box in boxes]
    most = max(sizes)
    if prod(map(sub, hi, lo)) <= max(FEW_BOX_CELLS, most + room * most):
        return (trusted_range(lo, hi),)  # each is near the largest one, whatever that has taken
    if not _any_near(boxes, sizes, room):
        return tuple(boxes)
    hulls = [
        _Hull(n, box.lo, box.hi, size)
        for n, (box, size) in enumerate(zip(boxes, sizes, strict=True))
    ]
    count, axes = 0, [a for a in range(len(lo)) if _differ(boxes, a)]
    while count != len(hulls) > 1:
        count = len(hulls)
        for axis in axes:
            hulls = _merged_along(hulls, axis, room)
    hulls.sort(key=lambda hull: hull.first)
    return tuple([trusted_range(tuple(hull.lo), tuple(hull.hi)) for hull in hulls])


def _most_apart(boxes: Sequence[ZRange]) -> int:
    """The axis along which most pairs of boxes lie apart.

    Rows of which each begins a little later than the one before are apart along the first.
    """

    def pairs_apart(axis: int) -> int:
        ends = sorted([box.hi[axis] for box in boxes])
        return sum([bisect_left(ends, box.lo[axis]) for box in boxes])

    return max(range(boxes[0].ndim), key=pairs_apart)


def _any_near(boxes: Sequence[ZRange], sizes: Sequence[int], room: float) -> bool:
    """Whether the hull of any two boxes has few enough cells.

    Along the axis along which most lie apart, those that end before one begins are not looked at,
    if they do so by more than there is room for.
    """
    axis = _most_apart(boxes)
    few = FEW_BOX_CELLS if min(sizes) <= FEW_BOX_CELLS else 0
    gap = max(few, 2 * room * max([box.hi[axis] - box.lo[axis] for box in boxes]))
    rows = zip([box.lo for box in boxes], [box.hi for box in boxes], sizes, strict=True)
    before: list[tuple[tuple[int, ...], tuple[int, ...], int]] = []
    for lo, hi, size in sorted(rows, key=lambda row: row[0][axis]):
        before = [one for one in before if one[1][axis] + gap >= lo[axis]]
        for low, high, cells in before:
            most = max(FEW_BOX_CELLS, (size + cells) + room * (size + cells))
            hull = 1
            for a, b, c, d in zip(lo, hi, low, high, strict=True):
                hull *= (b if b > d else d) - (a if a < c else c)
            if hull <= most:
                return True
        before.append((lo, hi, size))
    return False


def _differ(boxes: Sequence[ZRange], axis: int) -> bool:
    """Whether boxes lie differently along an axis: those that do not are near along others."""
    lo, hi = boxes[0].lo[axis], boxes[0].hi[axis]
    return any(box.lo[axis] != lo or box.hi[axis] != hi for box in boxes)


def _merged_along(hulls: list[_Hull], axis: int, room: float) -> list[_Hull]:
    """Merge each with the next before it along an axis that has room."""
    row = _HullRow(axis, room)
    for hull in sorted(hulls, key=lambda h: (h.lo[axis], *h.lo)):
        row.add(hull)
    return row.hulls


class _HullRow:
    """Hulls by where they begin along an axis, each merged with the next before it that has room.

    Behind a long gap none has, and behind any gap no large hull. How far hulls reach, and those
    before them, in cells and with the room that they have, tells when all others are behind one.
    """

    __slots__ = ("axis", "hulls", "reaches", "room")

    def __init__(self, axis: int, room: float) -> None:
        self.axis, self.room = axis, room
        self.hulls = list[_Hull]()
        self.reaches = list[tuple[int, float]]()

    def add(self, hull: _Hull) -> None:
        """Merge a hull that begins behind all others with one of these, or add it."""
        lo, hi = hull.lo[self.axis], hull.hi[self.axis]
        near = lo if hull.cells > FEW_BOX_CELLS else lo - FEW_BOX_CELLS
        nearly = lo - self.room * hi
        for at in range(len(self.hulls) - 1, -1, -1):
            furthest, with_room = self.reaches[at]
            if furthest < near and with_room < nearly:
                break
            before = self.hulls[at]
            end, roomy = self._reach(before)
            if (end >= near or roomy >= nearly) and before.take(hull, self.room):
                self._note(at)
                return
        self.hulls.append(hull)
        self.reaches.append(self.reaches[-1] if self.reaches else self._reach(hull))
        self._note(len(self.hulls) - 1)

    def _reach(self, hull: _Hull) -> tuple[int, float]:
        end = hull.hi[self.axis]
        return end, end - self.room * hull.lo[self.axis]

    def _note(self, at: int) -> None:
        """Note how far a hull reaches now, for itself and those behind it."""
        end, roomy = self._reach(self.hulls[at])
        for place in range(at, len(self.hulls)):
            furthest, with_room = self.reaches[place]
            if furthest >= end and with_room >= roomy:
                return
            self.reaches[place] = max(furthest, end), max(with_room, roomy)


def _outermost(boxes: Sequence[ZRange]) -> tuple[ZRange, ...]:
    """The boxes that no other box contains."""
    index = BoxIndex(boxes)
    return tuple([b for b in boxes if all(boxes[n] is b for n in index.containing(b))])


class BoxIndex:
    """Boxes by where they end along one axis, so that those that contain one are found soon.

    Parameters
    ----------
    boxes
        Of one value.

    Examples
    --------
    >>> index = BoxIndex([ZRange((4,), (8,)), ZRange((0,), (3,)), ZRange((2,), (6,))])
    >>> sorted(index.containing(ZRange((4,), (5,))))
    [0, 2]
    """

    __slots__ = ("_axis", "_first", "_furthest", "_order", "boxes")

    def __init__(self, boxes: Sequence[ZRange]) -> None:
        self.boxes = boxes
        self._axis = max(
            range(boxes[0].ndim), key=lambda a: len({b.lo[a] for b in boxes}), default=0
        )
        axis = self._axis
        self._order = sorted(range(len(boxes)), key=lambda n: boxes[n].lo[axis])
        self._first = [boxes[n].lo[axis] for n in self._order]
        self._furthest = list(accumulate([boxes[n].hi[axis] for n in self._order], max))

    def containing(self, box: ZRange) -> Iterator[int]:
        """The numbers of the boxes that contain another one, which has cells."""
        lo, hi, axis = box.lo, box.hi, self._axis
        at = bisect_right(self._first, lo[axis]) - 1
        while at >= 0 and self._furthest[at] >= hi[axis]:
            number = self._order[at]
            one = self.boxes[number]
            if all(map(le, one.lo, lo)) and all(map(le, hi, one.hi)):
                yield number
            at -= 1


class BoxHolder:
    """Several boxes of one value that do not contain each other, so that any that is read is found.

    Most that are read are held as they are: those very objects are known by their addresses, in a
    tenth of the time of comparing corners.
    """

    __slots__ = ("_boxes", "_index", "_own")

    def __init__(self, boxes: Sequence[ZRange]) -> None:
        self._boxes = boxes
        self._own = {id(box): number for number, box in enumerate(boxes)}
        self._index: BoxIndex | None = None

    def number(self, box: ZRange) -> int:
        """The number of the box that contains another one, as `holder` tells it."""
        own = self._own.get(id(box))
        if own is not None:
            return own
        if self._index is None:
            self._index = BoxIndex(self._boxes)
        return holder(self._boxes, box, self._index)


def holder(boxes: Sequence[ZRange], box: ZRange, index: BoxIndex | None = None) -> int:
    """The number of the first of `boxes` that contains `box`.

    Parameters
    ----------
    index
        Of the boxes, where many are looked for.

    Raises
    ------
    PlanError
        If none does: what a block reads was not planned for.
    """
    if len(boxes) == 1:
        return 0
    if index is None or box.is_empty:
        found = next((n for n, one in enumerate(boxes) if one is box or one.contains(box)), None)
    else:
        found = min(index.containing(box), default=None)
    if found is not None:
        return found
    raise PlanError(
        f"cells {box} are read, of which only {', '.join(map(str, boxes)) or 'none'} are held: "
        "this is an error of the library"
    )
