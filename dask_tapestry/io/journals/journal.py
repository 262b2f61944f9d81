"""The journal of a stored array: the boxes of it that are being written.

A write enters its boxes before it stores the first cell, and strikes each out after its last one.
So the journal tells what a failed write left undone, and writing that box again heals the array. A
complete array has no journal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from dask_tapestry.errors import StoreError
from dask_tapestry.json_form import FormError, listed, sequence, whole

JOURNAL: Final = "dask_tapestry"  # name of the attribute in which an array keeps it

Box = tuple[tuple[int, int], ...]  # first and one-past-last coordinate of each dimension
JsonBoxes = list[list[list[int]]]

BOXES: Final = listed(listed(sequence(whole(), whole())))  # the form of boxes in JSON


def whole_box(shape: Iterable[int]) -> Box:
    """Return the box of all cells."""
    return tuple((0, int(n)) for n in shape)


def boxes_to_json(boxes: Iterable[Box]) -> JsonBoxes:
    """Return boxes in order, as lists of lists.

    Examples
    --------
    >>> boxes_to_json({((0, 3), (2, 4))})
    [[[0, 3], [2, 4]]]
    """
    return [[list(side) for side in box] for box in sorted(boxes)]


def boxes_from_json(boxes: Any) -> frozenset[Box]:
    """Return the boxes that `boxes_to_json` was given.

    Raises
    ------
    FormError
        If others have written what is no boxes, all of one rank.
    """
    found = frozenset(tuple(map(tuple, box)) for box in BOXES(boxes, "boxes"))
    if len({len(box) for box in found}) > 1:
        raise FormError("boxes are of several ranks")
    return found


def remaining_boxes(boxes: Iterable[Box], written: Box, dense: bool) -> frozenset[Box]:
    """Return the boxes that are left when `written` has been written, every cell of it if `dense`.

    Examples
    --------
    >>> remaining_boxes({((0, 3),), ((4, 9),)}, ((0, 5),), dense=True)
    frozenset({((4, 9),)})
    """
    return frozenset(b for b in boxes if b != written and not (dense and _is_within(b, written)))


def _is_within(inner: Box, outer: Box) -> bool:
    return all(a >= c and b <= d for (a, b), (c, d) in zip(inner, outer, strict=True))


def incomplete_error(what: str, boxes: Iterable[Box], shape: Iterable[int]) -> StoreError:
    """Return the error that says which boxes of an array are not written."""
    texts = [f"[{', '.join(f'{lo}:{hi}' for lo, hi in box)}]" for box in sorted(boxes)]
    some = "" if set(boxes) == {whole_box(shape)} else f" to {', '.join(texts[:3])}"
    return StoreError(f"{what} is incomplete: a write{some} failed or is still running")
