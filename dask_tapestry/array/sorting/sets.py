"""Set operations: the distinct cells of one array, and what two arrays have in common.

Their number is counted when a shape is first asked for. Cells are sorted, and a mask marks the
first of each kind.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

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
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,  # noqa: ARG001
) -> Array | tuple[Array, ...]:
    """Return the distinct cells of an array, sorted, as `numpy.unique`.

    Parameters
    ----------
    ar
        The array, or what `asarray` takes.
    return_index
        Also return where each cell comes first.
    return_inverse
        Also return, for each cell of `ar`, its number among the results.
    return_counts
        Also return how often each cell occurs.
    axis
        Compare slices along this axis instead of cells; all of them are sorted in one block.
    equal_nan
        Whether every NaN is the same.
    sorted
        Accepted for NumPy's sake; cells are always sorted.

    Returns
    -------
    Array or tuple of Array
        The cells, 1-d, or slices along `axis`; in a tuple with any further results.

    See Also
    --------
    unique_all, unique_values, bincount, isin

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
        found = Distinct.of(array, equal_nan)
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
def unique_all(x: ArrayLike, /) -> UniqueAllResult:
    """Return all that `unique` does for cells, as `numpy.unique_all`; every NaN is distinct.

    Parameters
    ----------
    x
        The array, or what `asarray` takes.

    Returns
    -------
    UniqueAllResult
        `values`, `indices` of the first of each, `inverse_indices` (shape of `x`), and `counts`.

    See Also
    --------
    unique

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.unique_all(dt.asarray([3, 1, 3])).inverse_indices.compute()
    array([1, 0, 1])
    """
    found = Distinct.of(asarray(x), equal_nan=False)
    return UniqueAllResult(found.values(), found.index(), found.inverse(), found.counts())


@implements(np.unique_counts)
def unique_counts(x: ArrayLike, /) -> UniqueCountsResult:
    """Return the distinct cells and how often each occurs; every NaN is distinct.

    Parameters
    ----------
    x
        The array, or what `asarray` takes.

    Returns
    -------
    UniqueCountsResult
        `values`, sorted, and their `counts`.

    See Also
    --------
    unique, numpy.unique_counts

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.unique_counts(dt.asarray([3, 1, 3])).counts.compute()
    array([1, 2])
    """
    found = Distinct.of(asarray(x), equal_nan=False)
    return UniqueCountsResult(found.values(), found.counts())


@implements(np.unique_inverse)
def unique_inverse(x: ArrayLike, /) -> UniqueInverseResult:
    """Return the distinct cells and the number of each cell among them; every NaN is distinct.

    Parameters
    ----------
    x
        The array, or what `asarray` takes.

    Returns
    -------
    UniqueInverseResult
        `values`, sorted, and `inverse_indices` in the shape of `x`.

    See Also
    --------
    unique, numpy.unique_inverse

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.unique_inverse(dt.asarray([3, 1, 3])).inverse_indices.compute()
    array([1, 0, 1])
    """
    found = Distinct.of(asarray(x), equal_nan=False)
    return UniqueInverseResult(found.values(), found.inverse())


@implements(np.unique_values)
def unique_values(x: ArrayLike, /) -> Array:
    """Return the distinct cells; every NaN is distinct.

    Parameters
    ----------
    x
        The array, or what `asarray` takes.

    Returns
    -------
    Array
        Cells, 1-d and sorted.

    See Also
    --------
    unique, numpy.unique_values

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.unique_values(dt.asarray([3, 1, 3])).compute()
    array([1, 3])
    """
    return Distinct.of(asarray(x), equal_nan=False).values()


@implements(np.union1d)
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> Array:
    """Return the distinct cells of both arrays, as `numpy.union1d`.

    Parameters
    ----------
    ar1, ar2
        Arrays of any shape, or what `asarray` takes.

    Returns
    -------
    Array
        Cells, 1-d and sorted.

    See Also
    --------
    intersect1d, setdiff1d, unique

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.union1d([3, 1], [1, 2]).compute()
    array([1, 2, 3])
    """
    left, right = _flat(ar1, ar2)
    return Distinct.of(Array(concat([left, right])), equal_nan=True).values()


@implements(np.intersect1d)
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,  # noqa: ARG001
    return_indices: bool = False,
) -> Array | tuple[Array, Array, Array]:
    """Return the distinct cells that both arrays hold, as `numpy.intersect1d`.

    Parameters
    ----------
    ar1, ar2
        Arrays of any shape, or what `asarray` takes.
    assume_unique
        Accepted for NumPy's sake; it makes no difference.
    return_indices
        Also return where each cell comes first in either flattened array.

    Returns
    -------
    Array or tuple of Array
        Cells, 1-d and sorted; with `return_indices`, and the indices in `ar1` and `ar2`.

    See Also
    --------
    union1d, setdiff1d, isin

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.intersect1d([3, 1, 2], [2, 3, 5]).compute()
    array([2, 3])
    """
    left, right = (Distinct.of(Array(x), equal_nan=True) for x in _flat(ar1, ar2))
    common = left.among(right)
    if not return_indices:
        return common.values()
    return common.values(), common.index(), right.among(left).index()


@implements(np.setdiff1d)
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Array:
    """Return the distinct cells of the first array that the second does not hold.

    Parameters
    ----------
    ar1, ar2
        Arrays of any shape, or what `asarray` takes.
    assume_unique
        Return the cells in the order of `ar1`, equal ones as often as they occur.

    Returns
    -------
    Array
        Cells, 1-d and sorted, unless `assume_unique`.

    See Also
    --------
    setxor1d, intersect1d, numpy.setdiff1d

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.setdiff1d([3, 1, 2, 1], [2]).compute()
    array([1, 3])
    """
    x, y = (asarray(a).node for a in (ar1, ar2))
    dtype = common_dtype(x, y)
    if not assume_unique:
        found = Distinct.of(Array(x), equal_nan=True)
        return found.among(Distinct.of(Array(y), equal_nan=True), dtype, invert=True).values()
    flat = reshape(x, (x.type.size,))
    table = sort(reshape(astype(y, dtype), (y.type.size,)), 0)
    kept = is_in(astype(flat, dtype), table, invert=True)
    return counted(kept, lambda pick: pick(flat), owner=x)


@implements(np.setxor1d)
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Array:  # noqa: ARG001
    """Return the distinct cells that exactly one of two arrays holds, as `numpy.setxor1d`.

    Parameters
    ----------
    ar1, ar2
        Arrays of any shape, or what `asarray` takes.
    assume_unique
        Accepted for NumPy's sake; it makes no difference.

    Returns
    -------
    Array
        Cells, 1-d and sorted.

    See Also
    --------
    setdiff1d, union1d

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.setxor1d([3, 1], [1, 2]).compute()
    array([2, 3])
    """
    left, right = (Distinct.of(Array(x), equal_nan=True) for x in _flat(ar1, ar2))
    alone = [left.among(right, invert=True), right.among(left, invert=True)]
    mask = concat([one.mask for one in alone])
    cells = concat([one.ordered for one in alone])

    def make(pick: Pick) -> Tensor:
        return sort(pick(cells), 0)

    return counted(mask, make)


def _flat(*arrays: ArrayLike) -> list[Tensor]:
    """The arrays as vectors of one dtype."""
    nodes = [asarray(x).node for x in arrays]
    dtype = common_dtype(*nodes)
    return [reshape(astype(x, dtype), (x.type.size,)) for x in nodes]
