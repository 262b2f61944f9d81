"""`unique`, and the Array API's `unique_values` and others, by sorting cells or counting them."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.sorting.unique_by_counting import UniqueByCounting
from dask_tapestry.arrays.sorting.unique_by_sorting import UniqueBySorting, UniqueSlices
from dask_tapestry.arrays.sorting.unique_of_few import UniqueOfFew
from dask_tapestry.operators.axes import normalize_axis

__all__ = ["unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


Distinction: TypeAlias = UniqueOfFew | UniqueBySorting | UniqueSlices


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


@overload
def unique(
    ar: ArrayLike,
    return_index: Literal[False] = False,
    return_inverse: Literal[False] = False,
    return_counts: Literal[False] = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Array: ...


@overload
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> tuple[Array, ...]: ...


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

    {Parameters}
        ar: The array, or what `asarray` takes.
        return_index: Also return where each cell comes first.
        return_inverse: Also return, for each cell of `ar`, its number among the results.
        return_counts: Also return how often each cell occurs.
        axis: Compare slices along this axis instead of cells; all of them are sorted in one block.
        equal_nan: Whether every NaN is the same.
        sorted: Accepted for NumPy's sake; cells are always sorted.
    {Returns} Array or tuple of Array: The cells, 1-d, or slices along `axis`; in a tuple with any
        further results.
    {See Also} unique_all, unique_values, bincount, isin
    {Examples}
    >>> values, counts = dt.unique(dt.asarray([3, 1, 3]), return_counts=True)
    >>> values.compute(), counts.compute()
    (array([1, 3]), array([1, 2]))
    """
    array = asarray(ar)
    number = None if axis is None else normalize_axis(axis, array.ndim)
    distinct: Distinction | UniqueByCounting
    in_order: Distinction | None = None
    if number is not None and array.ndim != 1:
        distinct = in_order = UniqueSlices(array, number)
    elif return_index:  # which a table of counts does not tell
        distinct = in_order = _in_order(array, equal_nan)
    else:
        distinct = _distinct(array, equal_nan)
    results = [distinct.values()]
    if return_index and in_order is not None:
        results.append(in_order.index())
    if return_inverse:
        results.append(distinct.inverse())
    if return_counts:
        results.append(distinct.counts())
    return results[0] if len(results) == 1 else tuple(results)


@implements(np.unique_all)
def unique_all(x: ArrayLike, /) -> UniqueAllResult:
    """Return all that `unique` does for cells, as `numpy.unique_all`; every NaN is distinct.

    {Parameters} {x.given}
    {Returns} UniqueAllResult: `values`, `indices` of the first of each, `inverse_indices` (shape of
        `x`), and `counts`.
    {See Also} unique
    {Examples}
    >>> dt.unique_all(dt.asarray([3, 1, 3])).inverse_indices.compute()
    array([1, 0, 1])
    """
    found = _in_order(asarray(x), equal_nan=False)
    return UniqueAllResult(found.values(), found.index(), found.inverse(), found.counts())


@implements(np.unique_counts)
def unique_counts(x: ArrayLike, /) -> UniqueCountsResult:
    """Return the distinct cells and how often each occurs; every NaN is distinct.

    {Parameters} {x.given}
    {Returns} UniqueCountsResult: `values`, sorted, and their `counts`.
    {See Also} unique, numpy.unique_counts
    {Examples}
    >>> dt.unique_counts(dt.asarray([3, 1, 3])).counts.compute()
    array([1, 2])
    """
    found = _distinct(asarray(x), equal_nan=False)
    return UniqueCountsResult(found.values(), found.counts())


@implements(np.unique_inverse)
def unique_inverse(x: ArrayLike, /) -> UniqueInverseResult:
    """Return the distinct cells and the number of each cell among them; every NaN is distinct.

    {Parameters} {x.given}
    {Returns} UniqueInverseResult: `values`, sorted, and `inverse_indices` in the shape of `x`.
    {See Also} unique, numpy.unique_inverse
    {Examples}
    >>> dt.unique_inverse(dt.asarray([3, 1, 3])).inverse_indices.compute()
    array([1, 0, 1])
    """
    found = _distinct(asarray(x), equal_nan=False)
    return UniqueInverseResult(found.values(), found.inverse())


@implements(np.unique_values)
def unique_values(x: ArrayLike, /) -> Array:
    """Return the distinct cells; every NaN is distinct.

    {Parameters} {x.given}
    {Returns} Array: Cells, 1-d and sorted.
    {See Also} unique, numpy.unique_values
    {Examples}
    >>> dt.unique_values(dt.asarray([3, 1, 3])).compute()
    array([1, 3])
    """
    return _distinct(asarray(x), equal_nan=False).values()


def _distinct(x: Array, equal_nan: bool) -> Distinction | UniqueByCounting:
    """The distinct cells, which may not tell where each comes first."""
    if UniqueByCounting.is_for(x):
        return UniqueByCounting.of(x)
    return _in_order(x, equal_nan, places=False)


def _in_order(x: Array, equal_nan: bool, places: bool = True) -> Distinction:
    """The distinct cells, which with `places` tell where each comes first."""
    if UniqueOfFew.is_for(x):
        return UniqueOfFew.of(x, equal_nan, places)
    return UniqueBySorting.of(x, equal_nan)
