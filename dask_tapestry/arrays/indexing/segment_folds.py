"""Folds of segments that follow each other along an axis: of `reduceat` by a monoid.

Segments of one length are an axis beside one of their cells; others are groups, whose numbers
follow from the cells' places. So nothing is as long as the axis, and a plan cuts the segments or
the axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.generators.arange import arange
from dask_tapestry.operators.indexing.take import take
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.reductions.group_fold import group_fold
from dask_tapestry.operators.reductions.monoids import FOLDS_OF_UFUNCS
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.sorting.search import digitize
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor

Numbers = np.ndarray[Any, np.dtype[np.intp]]


def fold_segments(x: Tensor, name: str, begins: Numbers, axis: int) -> Tensor | None:
    """Fold the cells from each of `begins` to the next, as `numpy.ufunc.reduceat` by `name`.

    Parameters
    ----------
    x
        Of the dtype of the result.
    begins
        Places along `axis`, within bounds.

    Returns
    -------
    Tensor or None
        None for a ufunc that is no monoid, for other cells than numbers, and where segments do not
        ascend.
    """
    monoid = FOLDS_OF_UFUNCS.get(name)
    ascends = begins.size and bool((begins[1:] >= begins[:-1]).all())
    if monoid is None or x.type.dtype.kind not in "biuf" or not ascends:
        return None
    starts = begins[np.append(begins[1:] > begins[:-1], True)]
    folded = _fold_apart(x, monoid, starts, axis)
    if len(starts) == len(begins):
        return folded
    # A segment without cells of its own, as the next begins where it does, is its first cell.
    is_empty = np.append(begins[1:] == begins[:-1], False)
    firsts = take(x, constant(begins[is_empty]), axis)
    order = np.where(is_empty, len(starts) + np.cumsum(is_empty) - 1, np.cumsum(~is_empty) - 1)
    return take(concat([folded, firsts], axis), constant(order.astype(np.intp)), axis)


def _fold_apart(x: Tensor, monoid: str, starts: Numbers, axis: int) -> Tensor:
    """The folds of segments that have cells each."""
    lengths = np.diff(starts)
    if lengths.size and (lengths == lengths[0]).all():
        return _fold_equal(x, monoid, starts, axis)
    cells = _between(x, axis, int(starts[0]), x.type.shape[axis])
    places = arange(int(starts[0]), x.type.shape[axis], None, starts.dtype)
    numbers = elementwise("subtract", digitize(places, constant(starts), right=False), 1)
    table = group_fold(cells, numbers, monoid, (axis,), len(starts), dtype=_asked(x, monoid))
    last = x.type.ndim - 1
    return permute(table, [*range(axis), last, *range(axis, last)])


def _fold_equal(x: Tensor, monoid: str, starts: Numbers, axis: int) -> Tensor:
    """The folds of segments that all have as many cells, but for the last one."""
    shape, count, length = x.type.shape, len(starts) - 1, int(starts[1] - starts[0])
    whole = _between(x, axis, int(starts[0]), int(starts[-1]))
    rows = reshape(whole, (*shape[:axis], count, length, *shape[axis + 1 :]))
    dtype = _asked(x, monoid)
    last = _between(x, axis, int(starts[-1]), shape[axis])
    parts = [
        reduce(rows, monoid, axis + 1, dtype=dtype),
        reduce(last, monoid, axis, dtype=dtype, keepdims=True),
    ]
    return concat(parts, axis)


def _between(x: Tensor, axis: int, start: int, stop: int) -> Tensor:
    return basic_slice(x, (*[slice(None)] * axis, slice(start, stop)))


def _asked(x: Tensor, monoid: str) -> np.dtype[Any] | None:
    """The dtype to fold in: sums and products of small integers would be wider else."""
    return x.type.dtype if monoid in ("sum", "prod") else None
