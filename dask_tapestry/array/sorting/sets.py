"""Sets: the different cells of arrays, and what two of them have in common.

How many there are is counted when a shape is first asked for. Cells are sorted; a mask says which
of them is the first of its kind.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.boolean_mask import Pick, counted
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.sorting.distinct import Distinct, DistinctRows
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.concat import concat
from dask_tapestry.operators.elementwise import astype
from dask_tapestry.operators.reshape import reshape
from dask_tapestry.operators.search import common_dtype, is_in
from dask_tapestry.operators.sort import sort
from dask_tapestry.teg import Tensor

__all__ = [
    "intersect1d",
    "setdiff1d",
    "setxor1d",
    "union1d",
    "unique",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
]


class UniqueAllResult(NamedTuple):
    """What `unique_all` returns."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` returns."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` returns."""

    values: Array
    inverse_indices: Array


@implements(np.unique)
def unique(
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,  # noqa: ARG001
) -> Any:
    """Return the different cells of an array in order, as `numpy.unique`.

    Parameters
    ----------
    return_index, return_inverse, return_counts
        Return too where each is first, which of them each cell is, and how often each is there.
    axis
        Compare slices along this axis instead of cells. They are put in order in one block.
    equal_nan
        Whether every NaN is the same.
    sorted
        NumPy's; the cells always come in order.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> values, counts = dt.unique(dt.asarray([3, 1, 3]), return_counts=True)
    >>> values.compute(), counts.compute()
    (array([1, 3]), array([1, 2]))
    """
    array = asarray(ar)
    number = None if axis is None else normalize_axis(axis, array.ndim)
    found: Distinct | DistinctRows
    if number is None or array.ndim == 1:
        found = Distinct(array, equal_nan)
    else:
        found = DistinctRows(array, number)
    results = [found.values()]
    if return_index:
        results.append(found.index())
    if return_inverse:
        results.append(found.inverse())
    if return_counts:
        results.append(found.counts())
    return results[0] if len(results) == 1 else tuple(results)


@implements(np.unique_all)
def unique_all(x: Any, /) -> UniqueAllResult:
    """Return the different cells, where each is first, which of them each cell is, how often it is.

    Every NaN is different.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.unique_all(dt.asarray([3, 1, 3])).inverse_indices.compute()
    array([1, 0, 1])
    """
    found = Distinct(asarray(x), equal_nan=False)
    return UniqueAllResult(found.values(), found.index(), found.inverse(), found.counts())


@implements(np.unique_counts)
def unique_counts(x: Any, /) -> UniqueCountsResult:
    """Return the different cells, and how often each is there. Every NaN is different.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.unique_counts(dt.asarray([3, 1, 3])).counts.compute()
    array([1, 2])
    """
    found = Distinct(asarray(x), equal_nan=False)
    return UniqueCountsResult(found.values(), found.counts())


@implements(np.unique_inverse)
def unique_inverse(x: Any, /) -> UniqueInverseResult:
    """Return the different cells, and which of them each cell is. Every NaN is different.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.unique_inverse(dt.asarray([3, 1, 3])).inverse_indices.compute()
    array([1, 0, 1])
    """
    found = Distinct(asarray(x), equal_nan=False)
    return UniqueInverseResult(found.values(), found.inverse())


@implements(np.unique_values)
def unique_values(x: Any, /) -> Array:
    """Return the different cells. Every NaN is different.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.unique_values(dt.asarray([3, 1, 3])).compute()
    array([1, 3])
    """
    return Distinct(asarray(x), equal_nan=False).values()


@implements(np.union1d)
def union1d(ar1: Any, ar2: Any) -> Array:
    """Return the different cells of both arrays in order.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.union1d([3, 1], [1, 2]).compute()
    array([1, 2, 3])
    """
    left, right = _flat(ar1, ar2)
    return Distinct(Array(concat([left, right])), equal_nan=True).values()


@implements(np.intersect1d)
def intersect1d(
    ar1: Any,
    ar2: Any,
    assume_unique: bool = False,  # noqa: ARG001
    return_indices: bool = False,
) -> Any:
    """Return the cells that both arrays hold, each once and in order.

    Parameters
    ----------
    assume_unique
        NumPy's; it makes no difference.
    return_indices
        Return too where each is first in the two arrays, flattened.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.intersect1d([3, 1, 2], [2, 3, 5]).compute()
    array([2, 3])
    """
    left, right = (Distinct(Array(x), equal_nan=True) for x in _flat(ar1, ar2))
    common = left.among(right)
    if not return_indices:
        return common.values()
    return common.values(), common.index(), right.among(left).index()


@implements(np.setdiff1d)
def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:
    """Return the cells of the first array that the second does not hold.

    Parameters
    ----------
    assume_unique
        Return the cells as they come, and equal ones as often as they come.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.setdiff1d([3, 1, 2, 1], [2]).compute()
    array([1, 3])
    """
    x, y = (asarray(a).node for a in (ar1, ar2))
    dtype = common_dtype(x, y)
    if not assume_unique:
        found = Distinct(Array(x), equal_nan=True)
        return found.among(Distinct(Array(y), equal_nan=True), dtype, invert=True).values()
    flat = reshape(x, (x.type.size,))
    table = sort(reshape(astype(y, dtype), (y.type.size,)), 0)
    kept = is_in(astype(flat, dtype), table, invert=True)
    return counted(kept, lambda pick: pick(flat), owner=x)


@implements(np.setxor1d)
def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Array:  # noqa: ARG001
    """Return the cells that one of the arrays holds and the other does not, in order.

    Parameters
    ----------
    assume_unique
        NumPy's; it makes no difference.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.setxor1d([3, 1], [1, 2]).compute()
    array([2, 3])
    """
    left, right = (Distinct(Array(x), equal_nan=True) for x in _flat(ar1, ar2))
    alone = [left.among(right, invert=True), right.among(left, invert=True)]
    mask = concat([one.mask for one in alone])
    cells = concat([one.ordered for one in alone])

    def make(pick: Pick) -> Tensor:
        return sort(pick(cells), 0)

    return counted(mask, make)


def _flat(*arrays: Any) -> list[Tensor]:
    """Arrays as vectors of one dtype."""
    nodes = [asarray(x).node for x in arrays]
    dtype = common_dtype(*nodes)
    return [reshape(astype(x, dtype), (x.type.size,)) for x in nodes]
