"""Slices of a tensor along one axis, and tensors joined from such slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor

Numbers = Sequence[int] | np.ndarray[Any, Any]


def slice_axis(x: Tensor, axis: int, start: int | None, stop: int | None, step: int = 1) -> Tensor:
    """``x[start:stop:step]`` along `axis`, counted from 0."""
    return basic_slice(x, (*(slice(None),) * axis, slice(start, stop, step)))


def concat_nonempty(tensors: Sequence[Tensor], axis: int) -> Tensor:
    """`tensors` joined along `axis`, without those that have no cells along it."""
    filled = [x for x in tensors if x.type.shape[axis]] or [tensors[0]]
    return concat(filled, axis)


def pick(x: Tensor, places: Numbers, axis: int) -> Tensor:
    """``x.take(places, axis)`` for places known now, from 0, as slices that are joined.

    Each run of places with equal steps is one slice, so few runs make a small graph.
    """
    pieces = []
    for start, step, count in equal_step_runs(places):
        if step == 0:
            one = slice_axis(x, axis, start, start + 1)
            shape = (*x.type.shape[:axis], count, *x.type.shape[axis + 1 :])
            pieces.append(broadcast(one, shape))
            continue
        stop = start + step * count
        pieces.append(slice_axis(x, axis, start, stop if stop >= 0 else None, step))
    return concat(pieces, axis) if pieces else slice_axis(x, axis, 0, 0)


def equal_step_runs(places: Numbers) -> list[tuple[int, int, int]]:
    """Runs of equal steps in `places`, each as first place, step and count.

    Examples
    --------
    >>> equal_step_runs([0, 1, 2, 2, 2, 9])
    [(0, 1, 3), (2, 0, 2), (9, 1, 1)]
    """
    numbers = np.asarray(places, np.int64)
    steps = np.diff(numbers)
    turns = np.flatnonzero(np.diff(steps)) + 1  # places where the step changes
    runs: list[tuple[int, int, int]] = []
    at = 0
    while at < len(numbers):
        if at + 1 == len(numbers):
            runs.append((int(numbers[at]), 1, 1))
            break
        later = turns[np.searchsorted(turns, at + 1) :][:1]
        end = int(later[0]) + 1 if later.size else len(numbers)
        runs.append((int(numbers[at]), int(steps[at]), end - at))
        at = end
    return runs
