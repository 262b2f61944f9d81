"""Searches in tables: `searchsorted`, `digitize`, `isin`, `interp`."""

from __future__ import annotations

from functools import partial, reduce
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import is_one_of, reading, real
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.tuning import COMPARED_ELEMENTS
from dask_tapestry.errors import DTypeError, ShapeError
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.indexing.take import take
from dask_tapestry.operators.sorting.search import common_dtype, is_in
from dask_tapestry.operators.sorting.search import digitize as digitize_tensor
from dask_tapestry.operators.sorting.search import interp as interp_tensor
from dask_tapestry.operators.sorting.search import searchsorted as search_table
from dask_tapestry.operators.sorting.sort import sort
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor

__all__ = ["digitize", "interp", "isin", "searchsorted"]


@implements(np.searchsorted)
def searchsorted(
    a: ArrayLike,
    v: ArrayLike,
    side: Literal["left", "right"] = "left",
    sorter: ArrayLike | None = None,
) -> Array:
    """Return the indices at which cells belong in a sorted vector, as `numpy.searchsorted`.

    {Parameters}
        a: Table: a vector in ascending order, or that `sorter` puts in order.
        v: Cells to look up.
        side: Insert before or after equal cells.
        sorter: Indices that sort `a`, as `argsort` returns them.
    {Returns} Array: Indices of dtype intp, shape of `v`.
    {Raises}
        ShapeError: If `a` is not a vector, or `sorter` has another length.
        DTypeError: If `sorter` does not hold integers.
    {See Also} digitize, isin, sort
    {Examples}
    >>> dt.searchsorted(dt.asarray([1, 3, 5]), [0, 3, 9]).compute()
    array([0, 1, 3])
    """
    table, cells = asarray(a).node, asarray(v).node
    if table.type.ndim != 1:
        raise ShapeError(f"object too deep for desired array: {table.type} is not a vector")
    if sorter is not None:
        table = take(table, _sorter(sorter, table), 0)
    return Array(search_table(cells, table, side))


def _sorter(sorter: ArrayLike, table: Tensor) -> Tensor:
    """The sorter as a tensor, checked."""
    node = asarray(sorter).node
    if node.type.ndim != 1 or node.type.dtype.kind not in "iu":
        raise DTypeError(f"sorter must only contain integers, one for each cell: {node.type}")
    if node.type.shape != table.type.shape:
        raise ShapeError(f"sorter.size must equal a.size: {node.type} for {table.type}")
    return node


@implements(np.digitize)
def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> Array:
    """Return the number of the bin that each cell lies in, as `numpy.digitize`.

    {Parameters}
        {x.given}
        bins: Edges, ascending or descending; those of a lazy array are checked when computed.
        right: A bin holds its upper edge instead of its lower one.
    {Returns} Array: Bin numbers of dtype intp, shape of `x`; 0 and ``len(bins)`` lie outside.
    {Raises}
        ShapeError: If `bins` is not a vector, or is not sorted.
        DTypeError: If cells or edges are complex, or text.
    {See Also} searchsorted, histogram
    {Examples}
    >>> dt.digitize(dt.asarray([0.2, 6.4, 3.0]), [0, 1, 2.5, 4]).compute()
    array([1, 4, 3])
    """
    cells, edges = asarray(x).node, asarray(bins).node
    for name, node in (("x", cells), ("bins", edges)):
        if node.type.dtype.kind == "c":
            raise DTypeError(f"{name} must not be complex")
    if not isinstance(bins, Array) and not hasattr(bins, "__dask_graph__"):
        try:
            np.digitize(0, np.asarray(bins))
        except ValueError as error:
            raise ShapeError(str(error)) from None
        except TypeError as error:
            raise DTypeError(str(error)) from None
    if edges.type.ndim != 1:
        raise ShapeError(f"object too deep for desired array: {edges.type} is not a vector")
    dtype = common_dtype(cells, edges)
    if dtype.kind not in "biufmM":
        raise DTypeError(f"cells of dtype {cells.type.dtype} lie in no bins of {edges.type.dtype}")
    return Array(digitize_tensor(astype(cells, dtype), astype(edges, dtype), bool(right)))


@implements(np.isin)
def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,  # noqa: ARG001
    invert: bool = False,
    *,
    kind: Literal["sort", "table"] | None = None,
) -> Array:
    """Return whether each cell of `element` is in `test_elements`, as `numpy.isin`.

    {Parameters}
        element: Cells to look up.
        test_elements: Cells of the set, of any shape.
        {assume_unique}
        invert: Return whether each cell is not in the set.
        kind: Accepted for NumPy's sake; what is known is compared or sorted.
    {Returns} Array: Bools, shape of `element`.
    {Raises} ShapeError: If `kind` is unknown, or ``"table"`` and cells are not integers.
    {See Also} searchsorted, intersect1d, setdiff1d
    {Examples}
    >>> dt.isin(dt.arange(4), [1, 3]).compute()
    array([False,  True, False,  True])
    """
    cells, table = asarray(element).node, asarray(test_elements).node
    if not is_one_of(kind, (None, "sort", "table")):
        raise ShapeError(f"Invalid kind: {kind!r}. Please use None, 'sort' or 'table'.")
    kinds = cells.type.dtype.kind + table.type.dtype.kind
    if kind == "table" and not set(kinds) <= set("biu"):
        raise ShapeError("The 'table' method is only supported for boolean or integer arrays.")
    dtype = common_dtype(cells, table)
    if isinstance(test_elements, Array):
        ordered = sort(reshape(astype(table, dtype), (table.type.size,)), 0)
        return Array(is_in(astype(cells, dtype), ordered, bool(invert)))
    listed = _in_cells_dtype(np.asarray(test_elements).ravel(), cells.type.dtype, dtype)
    cells = astype(cells, listed.dtype)
    if 0 < listed.size <= COMPARED_ELEMENTS and listed.dtype.kind in "biuf":
        return Array(_is_any(cells, listed, bool(invert)))
    # in memory: sorting costs as little as sending; NumPy's default fails for float16
    ordered = asarray(np.sort(listed, kind="stable")).node
    return Array(is_in(cells, ordered, bool(invert)))


def _in_cells_dtype(
    listed: np.ndarray[Any, Any], dtype: np.dtype[Any], common: np.dtype[Any]
) -> np.ndarray[Any, Any]:
    """What is looked for, of integers as the cells are: others of them no cell can be."""
    if {dtype.kind, listed.dtype.kind, common.kind} <= {"i", "u"}:
        limits = np.iinfo(dtype)
        return listed[(listed >= limits.min) & (listed <= limits.max)].astype(dtype)
    return listed.astype(common)


def _is_any(cells: Tensor, listed: np.ndarray[Any, Any], invert: bool) -> Tensor:
    """Whether cells equal one of a few, as a formula, which other operators are computed with."""
    equal, both = ("not_equal", "bitwise_and") if invert else ("equal", "bitwise_or")
    found = [elementwise(equal, cells, one) for one in listed.tolist()]
    return reduce(partial(elementwise, both), found)


@implements(np.interp)
def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: complex | None = None,
    right: complex | None = None,
    period: float | None = None,
) -> Array:
    """Interpolate linearly between points, as `numpy.interp`, to the same bits.

    {Parameters}
        x: Coordinates to interpolate at.
        xp, fp: Coordinates of the points, ascending, and the values at them: vectors.
        left, right: Values outside the points; by default those of the first and the last point.
        period: Period of the coordinates, with which the points need no order.
    {Returns} Array: Float64 or complex128, shape of `x`.
    {Raises}
        ShapeError: If `xp` and `fp` are not vectors of one length, or `period` is zero.
        DTypeError: If coordinates are complex.
    {See Also} searchsorted
    {Examples}
    >>> dt.interp(dt.asarray([0.5, 2.5]), [0, 1, 2], [0, 10, 20]).compute()
    array([ 5., 20.])
    """
    cells, points, values = (asarray(a).node for a in (x, xp, fp))
    work = np.dtype(np.complex128 if values.type.dtype.kind == "c" else np.float64)
    _check_points(points, values, period)
    for node, dtype in (
        (cells, np.dtype(np.float64)),
        (points, np.dtype(np.float64)),
        (values, work),
    ):
        if not np.can_cast(node.type.dtype, dtype, "safe"):
            raise DTypeError(
                f"Cannot cast array data from {node.type.dtype} to {dtype} by the rule 'safe'"
            )
    with reading("left and right"):
        low, high = (
            None if side is None else np.asarray(side, work).item() for side in (left, right)
        )
    length = None if period is None else abs(real("period", period))
    at, known = (astype(node, np.dtype(np.float64)) for node in (cells, points))
    return Array(interp_tensor(at, known, astype(values, work), low, high, length))


def _check_points(points: Tensor, values: Tensor, period: float | None) -> None:
    """Raise what `numpy.interp` raises for points that do not fit together."""
    if period is not None and period == 0:
        raise ShapeError("period must be a non-zero value")
    if points.type.ndim != 1 or values.type.ndim != 1:
        raise ShapeError("Data points must be 1-D sequences")
    if points.type.shape != values.type.shape:
        raise ShapeError("fp and xp are not of the same length.")
    if not points.type.size:
        raise ShapeError("array of sample points is empty")
