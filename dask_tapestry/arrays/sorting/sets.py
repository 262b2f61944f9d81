"""Sets of cells: `intersect1d`, `setdiff1d`, `setxor1d`, `union1d`.

The cells of a result are counted when its shape is first asked for. Cells are sorted, and a mask
marks the first of each kind; of long arrays, cells are chosen of both at once.
"""

from __future__ import annotations

from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.masks.boolean_mask import MaskSelector, deferred_selection
from dask_tapestry.arrays.sorting.chosen_cells import are_choosable, chosen_cells
from dask_tapestry.arrays.sorting.unique_by_sorting import UniqueBySorting
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.sorting.search import common_dtype, is_in
from dask_tapestry.operators.sorting.sort import sort
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor

__all__ = ["intersect1d", "setdiff1d", "setxor1d", "union1d"]


@implements(np.union1d)
def union1d(ar1: ArrayLike, ar2: ArrayLike) -> Array:
    """Return the distinct cells of both arrays, as `numpy.union1d`.

    {Parameters} ar1, ar2: Arrays of any shape, or what `asarray` takes.
    {Returns} Array: Cells, 1-d and sorted.
    {See Also} intersect1d, setdiff1d, unique
    {Examples}
    >>> dt.union1d([3, 1], [1, 2]).compute()
    array([1, 2, 3])
    """
    left, right = _flat(ar1, ar2)
    return UniqueBySorting.of(Array(concat([left, right])), equal_nan=True).values()


@overload
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    return_indices: Literal[False] = False,
) -> Array: ...
@overload
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,
    *,
    return_indices: Literal[True],
) -> tuple[Array, Array, Array]: ...
@implements(np.intersect1d)
def intersect1d(
    ar1: ArrayLike,
    ar2: ArrayLike,
    assume_unique: bool = False,  # noqa: ARG001
    return_indices: bool = False,
) -> Array | tuple[Array, Array, Array]:
    """Return the distinct cells that both arrays hold, as `numpy.intersect1d`.

    {Parameters}
        ar1, ar2: Arrays of any shape, or what `asarray` takes.
        {assume_unique}
        return_indices: Also return where each cell comes first in either flattened array.
    {Returns} Array or tuple of Array: Cells, 1-d and sorted; with `return_indices`, and the indices
        in `ar1` and `ar2`.
    {See Also} union1d, setdiff1d, isin
    {Examples}
    >>> dt.intersect1d([3, 1, 2], [2, 3, 5]).compute()
    array([2, 3])
    """
    flat = _flat(ar1, ar2)
    if are_choosable(*flat) and not return_indices:
        return chosen_cells("both", *flat)
    left, right = (UniqueBySorting.of(Array(x), equal_nan=True) for x in flat)
    common = left.shared_with(right)
    if not return_indices:
        return common.values()
    return common.values(), common.index(), right.shared_with(left).index()


@implements(np.setdiff1d)
def setdiff1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Array:
    """Return the distinct cells of the first array that the second does not hold.

    {Parameters}
        ar1, ar2: Arrays of any shape, or what `asarray` takes.
        assume_unique: Return the cells in the order of `ar1`, equal ones as often as they occur.
    {Returns} Array: Cells, 1-d and sorted, unless `assume_unique`.
    {See Also} setxor1d, intersect1d, numpy.setdiff1d
    {Examples}
    >>> dt.setdiff1d([3, 1, 2, 1], [2]).compute()
    array([1, 3])
    """
    x, y = (asarray(a).node for a in (ar1, ar2))
    dtype = common_dtype(x, y)
    flat = reshape(x, (x.type.size,))
    if not assume_unique:
        both = astype(flat, dtype), reshape(astype(y, dtype), (y.type.size,))
        if dtype == x.type.dtype and are_choosable(*both):
            return chosen_cells("first", *both)
        found = UniqueBySorting.of(Array(x), equal_nan=True)
        return found.shared_with(
            UniqueBySorting.of(Array(y), equal_nan=True), dtype, invert=True
        ).values()
    table = sort(reshape(astype(y, dtype), (y.type.size,)), 0)
    kept = is_in(astype(flat, dtype), table, invert=True)
    return deferred_selection(kept, lambda pick: pick(flat))


@implements(np.setxor1d)
def setxor1d(ar1: ArrayLike, ar2: ArrayLike, assume_unique: bool = False) -> Array:  # noqa: ARG001
    """Return the distinct cells that exactly one of two arrays holds, as `numpy.setxor1d`.

    {Parameters}
        ar1, ar2: Arrays of any shape, or what `asarray` takes.
        {assume_unique}
    {Returns} Array: Cells, 1-d and sorted.
    {See Also} setdiff1d, union1d
    {Examples}
    >>> dt.setxor1d([3, 1], [1, 2]).compute()
    array([2, 3])
    """
    flat = _flat(ar1, ar2)
    if are_choosable(*flat):
        return chosen_cells("one", *flat)
    left, right = (UniqueBySorting.of(Array(x), equal_nan=True) for x in flat)
    alone = [left.shared_with(right, invert=True), right.shared_with(left, invert=True)]
    mask = concat([one.mask for one in alone])
    cells = concat([one.ordered for one in alone])

    def make(pick: MaskSelector) -> Tensor:
        return sort(pick(cells), 0)

    return deferred_selection(mask, make)


def _flat(*arrays: ArrayLike) -> list[Tensor]:
    """The arrays as vectors of one dtype."""
    nodes = [asarray(x).node for x in arrays]
    dtype = common_dtype(*nodes)
    return [reshape(astype(x, dtype), (x.type.size,)) for x in nodes]
