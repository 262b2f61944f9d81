"""Kinds of threads: boxes of threads whose parts have one size and that take the same branches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

from dask_tapestry.arrays.patterns.thread_trace import Nested, Span
from dask_tapestry.errors import ConstraintError, TraceError
from dask_tapestry.operators.threads.thread_inserts import ThreadInsert
from dask_tapestry.operators.threads.thread_tiles import TooManyThreadsError
from dask_tapestry.operators.threads.thread_write_conflicts import may_overlap

Box = tuple[Span, ...]


def cut(box: Box, dim: int, places: Sequence[int]) -> list[Box]:
    """A box of threads, cut along a number at places that are counted from its first.

    Examples
    --------
    >>> cut(((0, 2), (3, 9)), 1, [4])
    [((0, 2), (3, 7)), ((0, 2), (7, 9))]
    """
    first, last = box[dim]
    ends = [first, *(first + n for n in places), last]
    return [(*box[:dim], span, *box[dim + 1 :]) for span in pairwise(ends)]


def check_kinds(name: str, alike: Sequence[Nested], boxes: Sequence[Box], around: int) -> None:
    """Raise if kinds of threads do not insert into one array, or where it matters who is last.

    `around` counts the ids of the threads around them.
    """
    if len({one.into.digest for one in alike}) > 1:
        raise TraceError(f"{name}: what is inserted into is the same for all threads")
    in_order = _in_order(boxes)
    for a, b in combinations([one.insert for one in alike], 2):
        last = a.last and b.last
        if _may_meet(name, a, b, around, in_order and not a.check) and not (last and in_order):
            raise ConstraintError(_conjunction(name, a, b, last))


def check_written(
    name: str, kinds: Sequence[Sequence[tuple[Any, ThreadInsert]]], around: int
) -> None:
    """Raise if threads of two kinds write one cell of an array that exists."""
    for left, right in combinations(kinds, 2):
        for target, a in left:
            for other, b in right:
                if target is other and _may_meet(name, a, b, around, False):
                    raise ConstraintError(_conjunction(name, a, b, True))


def _in_order(boxes: Sequence[Box]) -> bool:
    """Whether all numbers of a box are below those of the next."""
    return len({box[1:] for box in boxes}) == 1


def _may_meet(name: str, a: ThreadInsert, b: ThreadInsert, around: int, computed: bool) -> bool:
    """Whether threads of both write one cell; `computed` offsets may."""
    if a.is_empty or b.is_empty:
        return False
    first, second = a.tiles(), b.tiles()
    if first is None or second is None:
        if computed:
            return False
        raise ConstraintError(
            f"{name}: threads of different sizes or conditions write where computed offsets tell: "
            "which of them is the last is not known"
        )
    try:
        return may_overlap(first, second, around)
    except TooManyThreadsError:
        return True


def _conjunction(name: str, a: ThreadInsert, b: ThreadInsert, last: bool) -> str:
    sizes = " and ".join(str(one.value.type.shape) for one in (a, b))
    hint = (
        "which of them is the last is known only where the first number alone tells them apart"
        if last
        else "give on_overlap='last' to let the highest id win"
    )
    return f"{name}: threads that write parts of {sizes} may meet in {a.into}: {hint}"
