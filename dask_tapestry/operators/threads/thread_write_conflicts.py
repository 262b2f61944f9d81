"""Write conflicts: whether threads, of one kind or of two, write one cell."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.operators.threads.thread_tiles import Tiles, TooManyThreadsError
from dask_tapestry.operators.tuning import MOST_MEETING_CELLS


def may_overlap(a: Tiles, b: Tiles, shared: int = 0) -> bool:
    """Whether a thread of each writes one cell; the first `shared` ids are of the same threads.

    Raises
    ------
    TooManyThreadsError
        If nothing tells.

    Examples
    --------
    >>> from dask_tapestry.operators.threads.affine_cells import Affine
    >>> whole = Tiles((Affine((4,), 0),), (4,), (1,), (2,))
    >>> may_overlap(whole, Tiles((Affine((4,), 8),), (2,), (1,), (1,)))
    False
    >>> may_overlap(whole, Tiles((Affine((4,), 7),), (2,), (1,), (1,)))
    True
    """
    if any(0 in (*one.sizes, *one.extents) for one in (a, b)):
        return False
    a, b = _of_one_thread(a, b, shared), _of_one_thread(b, a, shared)
    for axis in range(len(a.starts)):
        spans = [(one.first(axis), one.first(axis) + _reach(one, axis)) for one in (a, b)]
        if spans[0][1] < spans[1][0] or spans[1][1] < spans[0][0]:
            return False
        if not np.intersect1d(_line(a, axis), _line(b, axis)).size:
            return False
    if a.is_product and b.is_product:
        return True
    return bool(np.intersect1d(_cells(a), _cells(b)).size)


def _of_one_thread(tiles: Tiles, other: Tiles, shared: int) -> Tiles:
    """The tiles `tiles`, with shared ids set to 0 where they move both writes alike."""
    starts = []
    for here, there in zip(tiles.starts, other.starts, strict=True):
        alike = here.coefficients[:shared] == there.coefficients[:shared]
        lead = (0,) * shared if alike else here.coefficients[:shared]
        starts.append(here._replace(coefficients=(*lead, *here.coefficients[shared:])))
    return tiles._replace(starts=tuple(starts))


def _reach(one: Tiles, axis: int) -> int:
    return sum(digit.step * (digit.places - 1) for digit in one.digits(axis))


def _line(one: Tiles, axis: int) -> Any:
    """The coordinates along an axis that threads write."""
    found = np.array([one.first(axis)])
    for digit in reversed(one.digits(axis)):
        if len(found) * digit.places > MOST_MEETING_CELLS:
            raise TooManyThreadsError
        found = np.unique(np.add.outer(found, digit.step * np.arange(digit.places)))
    return found


def _cells(tiles: Tiles) -> Any:
    """The cells that threads write, as rows of coordinates that compare as one value."""
    if prod(tiles.extents) * prod(tiles.sizes) > MOST_MEETING_CELLS:
        raise TooManyThreadsError
    ids = np.indices(tiles.extents).reshape(len(tiles.extents), -1)
    inner = np.indices(tiles.sizes).reshape(len(tiles.sizes), -1)
    lines = [
        np.add.outer(np.array(start.coefficients) @ ids + start.constant, stride * cells).ravel()
        for start, stride, cells in zip(tiles.starts, tiles.strides, inner, strict=True)
    ]
    rows = np.ascontiguousarray(np.stack(lines, -1))
    return rows.view([("", rows.dtype)] * rows.shape[1]).ravel()


def overlapping_parts(
    starts: Sequence[Any], shape: Sequence[int], sizes: Sequence[int], strides: Sequence[int]
) -> tuple[int, int] | None:
    """Two numbers of parts that have a cell in common, of vectors of their starts; None for none.

    Examples
    --------
    >>> overlapping_parts([np.array([0, 4, 3])], [6], [2], [1])
    (1, 2)
    """
    rank, count = len(sizes), len(starts[0])
    flat = np.zeros((1,) * (1 + rank), int)
    for axis, (start, extent, size, stride) in enumerate(
        zip(starts, shape, sizes, strides, strict=True)
    ):
        line = (stride * np.arange(size)).reshape([-1 if a == axis else 1 for a in range(rank)])
        flat = flat * extent + (start.reshape(count, *(1,) * rank) + line)
    cells = flat.ravel()
    order = np.argsort(cells, kind="stable")
    same = np.flatnonzero(cells[order[1:]] == cells[order[:-1]])
    if not len(same):
        return None
    part = prod(sizes)
    first, second = (int(order[at]) // part for at in (same[0], same[0] + 1))
    return first, second
