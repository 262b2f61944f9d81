"""Marks: which boxes of a stored array are being written.

A write adds its box before the first cell and takes it away after the last. So it is known what a
failed write left behind, and writing that box again heals it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from dask_tapestry.errors import StoreError

MARK: Final = "dask_tapestry"  # attribute of an array that is not complete yet

Box = tuple[tuple[int, int], ...]  # first and one-past-last coordinate of each dimension
Written = list[list[list[int]]]  # boxes as JSON has them


def whole(shape: Iterable[int]) -> Box:
    """The box of all cells."""
    return tuple((0, int(n)) for n in shape)


def written(boxes: Iterable[Box]) -> Written:
    """Boxes as JSON has them, in order.

    Examples
    --------
    >>> written({((0, 3), (2, 4))})
    [[[0, 3], [2, 4]]]
    """
    return [[list(side) for side in box] for box in sorted(boxes)]


def boxes_of(marks: Written) -> frozenset[Box]:
    """Boxes from what `written` made."""
    return frozenset(tuple((int(lo), int(hi)) for lo, hi in box) for box in marks)


def without(boxes: Iterable[Box], box: Box, dense: bool) -> frozenset[Box]:
    """Boxes that remain when `box` has been written, all its cells where `dense`.

    Examples
    --------
    >>> without({((0, 3),), ((4, 9),)}, ((0, 5),), dense=True)
    frozenset({((4, 9),)})
    """
    return frozenset(b for b in boxes if b != box and not (dense and _within(b, box)))


def _within(inner: Box, outer: Box) -> bool:
    return all(a >= c and b <= d for (a, b), (c, d) in zip(inner, outer, strict=True))


def incomplete(what: str, boxes: Iterable[Box], shape: Iterable[int]) -> StoreError:
    """The error that tells what of an array is not written."""
    texts = [f"[{', '.join(f'{lo}:{hi}' for lo, hi in box)}]" for box in sorted(boxes)]
    some = "" if set(boxes) == {whole(shape)} else f" to {', '.join(texts[:3])}"
    return StoreError(f"{what} is incomplete: a write{some} failed or is still running")
