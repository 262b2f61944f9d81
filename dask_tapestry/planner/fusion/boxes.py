"""Boxes of a value: which are held, so that each that is read lies in one of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from dask_tapestry.errors import PlanError
from dask_tapestry.zspace import ZRange

FEW_CELLS: Final = 64


def rounded_out(box: ZRange, together: tuple[int, ...], shape: tuple[int, ...]) -> ZRange:
    """The smallest box that holds `box` and whose edges are between cells computed together.

    An empty box stays as it is.
    """
    if box.is_empty:
        return box
    lo = [a // n * n if n else 0 for a, n in zip(box.lo, together, strict=True)]
    ends = zip(box.hi, together, shape, strict=True)
    return ZRange(lo, [min(-(-b // n) * n, extent) if n else extent for b, n, extent in ends])


def merged(boxes: Sequence[ZRange], within: Sequence[ZRange] = ()) -> tuple[ZRange, ...]:
    """Boxes that together hold all `boxes`: their hull, unless it is larger than they are.

    A hull of few cells is always taken: in a chain of stencils boxes would multiply. Where each of
    them must lie `within` one of some others, those that lie in the same one are merged.

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
    distinct = list(dict.fromkeys(boxes))
    if len(distinct) == 1:
        return (distinct[0],)
    if len(within) < 2:
        return _hull_or_all(distinct)
    groups: dict[int, list[ZRange]] = defaultdict(list)
    for box in distinct:
        groups[holder(within, box)].append(box)
    found = [_hull_or_all(group) for group in groups.values()]
    return found[0] if len(found) == 1 else _outermost([one for own in found for one in own])


def _hull_or_all(boxes: Sequence[ZRange]) -> tuple[ZRange, ...]:
    hull = boxes[0]
    for box in boxes[1:]:
        hull = hull.hull(box)
    if hull.size <= max(FEW_CELLS, sum([box.size for box in boxes])):
        return (hull,)
    return _outermost(boxes)


def _outermost(boxes: Sequence[ZRange]) -> tuple[ZRange, ...]:
    """Those of different boxes that none of the others contains; an empty one only if all are."""
    filled = [box for box in boxes if not box.is_empty]
    outer = [b for b in filled if not any(o is not b and o.contains(b) for o in filled)]
    return tuple(outer or boxes[:1])


def holder(held: Sequence[ZRange], box: ZRange) -> int:
    """The number of the first of the boxes that are `held` that contains another one.

    Raises
    ------
    PlanError
        If none does: what a block reads was not planned for.
    """
    if len(held) == 1:
        return 0
    for number, one in enumerate(held):
        if one is box or one.contains(box):
            return number
    raise PlanError(
        f"cells {box} are read, of which only {', '.join(map(str, held)) or 'none'} are held: "
        "this is an error of the library"
    )
