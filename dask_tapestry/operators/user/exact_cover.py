"""Exact cover: why a projection does not write each cell of an output exactly once, and which."""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.teg import IndexDim, Kind
from dask_tapestry.zspace import IndexProjection, ZRange


def not_tiled_once(index: Sequence[IndexDim], writes: IndexProjection) -> str | None:
    """What is wrong with an output that index points write so; None where nothing is.

    Each parallel dimension moves one axis, by as many cells as a point writes along it; no other
    dimension moves any.

    Examples
    --------
    >>> index = (IndexDim("i", 4),)
    >>> not_tiled_once(index, IndexProjection([[2]], [0], [2]))
    >>> not_tiled_once(index, IndexProjection([[2]], [0], [3]))
    'its cells [2:3] are written at steps 0 and 1 of i'
    >>> not_tiled_once(index, IndexProjection([[3]], [0], [2]))
    'no step of i writes its cells [2:3]'
    """
    owner: dict[int, int] = {}
    for axis, row in enumerate(writes.matrix):
        moving = [d for d, c in enumerate(row) if c]
        if len(moving) > 1:
            names = " and ".join(index[d].name for d in moving)
            return f"its axis {axis} follows {names}"
        text = _of_axis(index, writes, axis, moving)
        if text:
            return text
        for dim in moving:
            if owner.setdefault(dim, axis) != axis:
                return f"its axes {owner[dim]} and {axis} follow {index[dim].name}"
            if index[dim].kind is Kind.REDUCTION:
                return f"it follows {index[dim].name}, which is folded"
    for dim, declared in enumerate(index):
        if declared.kind is Kind.PARALLEL and dim not in owner:
            box = writes.of_point((0,) * len(index))
            return f"its cells {box} are written at every step of {declared.name}"
    return None


def _of_axis(
    index: Sequence[IndexDim], writes: IndexProjection, axis: int, moving: Sequence[int]
) -> str | None:
    """What is wrong along one axis, which the dimension `moving`, or none, moves."""
    width, start = writes.shape[axis], writes.offset[axis]
    if start:
        box = _first_window(writes, axis, min(0, start), max(0, start))
        where = "lie before its first one" if start < 0 else "are written by nothing"
        return f"its cells {box} {where}"
    if writes.stride[axis] != 1 and width > 1:
        return f"nothing writes its cells {_first_window(writes, axis, 1, writes.stride[axis])}"
    for dim in moving:
        step, name = writes.matrix[axis][dim], index[dim].name
        if step < 0:
            return f"its axis {axis} runs backwards along {name}"
        if step < width:
            box = _first_window(writes, axis, step, width)
            return f"its cells {box} are written at steps 0 and 1 of {name}"
        if step > width > 0:
            return f"no step of {name} writes its cells {_first_window(writes, axis, width, step)}"
    return None


def _first_window(writes: IndexProjection, axis: int, lo: int, hi: int) -> ZRange:
    """The first index point's window, from `lo` to `hi` along one axis."""
    return writes.of_point((0,) * writes.in_ndim).replace(axis, lo, hi)
