"""Reductions by group: `groupby_reduce`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import one_of, whole_number
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.reduction_arguments import wanted_dtype
from dask_tapestry.arrays.grouping.group_cells import GroupCells
from dask_tapestry.arrays.grouping.label_codes import Codes, Labels, codes_of, shape_of
from dask_tapestry.arrays.grouping.reductions import REDUCTIONS, GroupReduction
from dask_tapestry.errors import ArgumentTypeError, ShapeError
from dask_tapestry.operators.axes import normalize_axes

__all__ = ["groupby_reduce"]


@names_axes
def groupby_reduce(
    x: ArrayLike,
    *labels: ArrayLike,
    func: str,
    expected_groups: Any = None,
    axis: int | Sequence[int] | None = None,
    fill_value: Any = None,
    dtype: DTypeLike | None = None,
    min_count: int | None = None,
    **options: Any,
) -> tuple[Any, ...]:
    """Reduce the cells of each group: those that have the same label, as ``flox.groupby_reduce``.

    The graph and the plan do not grow with the number of groups, and each cell is read once; places
    and ends are looked for in a second pass. Values have the same bits for every sharding.

    {Parameters}
        {x}
        *labels: Labels of the last axes of `x`; of a vector, those of the one `axis`. Along axes of
            extent 1 they are those of all cells. Of several, which are broadcast, each combination
            is a group. NaN and NaT label nothing. Labels that are lazy stay so if their groups are
            expected; else the distinct ones are computed.
        func: "sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "first",
            "last", "median" or "quantile", with "nan" before it to leave NaN out; "count" (of what
            is not NaN), "any", "all".
        expected_groups: The labels of the groups in the order wanted, or a `pandas.IntervalIndex`
            of adjoining bins; of several labels a tuple of these or None. By default all that
            occur, sorted.
        axis: The labelled axes that are reduced; by default all of them.
        fill_value: Value of groups that have no cells; by default 0 of sums and counts, 1 of
            products, -1 of places, else NaN.
        dtype: Of the result.
        min_count: Groups of fewer cells that are not NaN have the fill value, by default NaN. With
            0, groups of NaN alone have no fill value.
        **options: ``ddof`` of variances; ``q`` and ``method`` of quantiles.
    {Returns}
        result : Array: The kept axes of `x`, then one axis of groups for each of the labels. Places
            are counted along the reduced axes, in C order.
        *groups : numpy.ndarray: The labels of the groups.
    {Raises}
        ArgumentError: If `func` is unknown, or groups are expected twice.
        ArgumentTypeError: If `func` does not have an option.
        DTypeError: If `func` has no meaning for the dtype.
        ShapeError: If labels have other extents than the axes of `x`.
    {See Also} bincount, histogram, unique
    {Examples}
    >>> x = dt.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    >>> result, groups = dt.groupby_reduce(x, ["b", "a", "b"], func="mean")
    >>> result.compute(), groups
    (array([[2., 2.],
           [5., 5.]]), array(['a', 'b'], dtype='<U1'))
    """
    array, reduction = asarray(x), REDUCTIONS[one_of("func", func, REDUCTIONS)]
    accepted = _options(func, reduction, dtype, options)
    expected = _expected(expected_groups, len(labels))
    check_shapes(labels, array.shape, axis)
    label_codes = codes_of(labels, expected)
    axes = labelled_axes(label_codes, array.shape, axis)
    reduced = axes if axis is None else _reduced(axis, axes, array.ndim)
    own = [n for n, a in enumerate(axes) if label_codes.codes.shape[n] == array.shape[a]]
    codes = label_codes.codes.reshape([label_codes.codes.shape[n] for n in own])
    labelled = tuple(axes[n] for n in own)
    row_numbers = [n for n, a in enumerate(labelled) if a not in reduced]
    codes, total = _with_rows(codes, row_numbers, prod(label_codes.counts))
    whole = tuple(a for a in reduced if a not in labelled)
    rows = tuple(labelled[n] for n in row_numbers)
    cells = GroupCells(array, codes, labelled, total, reduction.skipna, whole, rows)
    values = reduction.value(cells, **accepted)
    if not (label_codes.occur and _one_is_enough(cells, min_count)):
        values = _filled(reduction, cells, values, fill_value, min_count)
    if (wanted := wanted_dtype(dtype)) is not None:
        values = values.astype(wanted)
    return _in_order(values, cells, label_codes), *label_codes.groups


def check_shapes(labels: Sequence[ArrayLike], shape: tuple[int, ...], axis: Any) -> None:
    """See that each of the labels fits an array, before what is lazy is computed.

    {Raises} ShapeError: It names the labels that do not.
    """
    axes = () if axis is None else normalize_axes(axis, len(shape))
    for number, label in enumerate(labels):
        own = shape_of(number, label)
        last = shape[max(0, len(shape) - len(own)) :]
        fits = len(own) == len(last) and all(map(_is_along, own, last))
        if len(axes) == 1 and len(own) == 1:
            fits = fits or _is_along(own[0], shape[axes[0]])
        if not fits:
            raise _unfit("labels" if len(labels) == 1 else f"labels[{number}]", own, shape, axis)


def _is_along(extent: int, axis: int) -> bool:
    return extent in (1, axis)


def _unfit(what: str, own: tuple[int, ...], shape: tuple[int, ...], axis: Any) -> ShapeError:
    where = "" if axis is None or len(own) > 1 else f", or one for each cell along axis {axis}"
    return ShapeError(
        f"{what} of shape {own} do not fit x of shape {shape}: groupby_reduce takes labels of the "
        f"extents of its last axes, here {shape[max(0, len(shape) - len(own)) :]}{where}"
    )


def labelled_axes(labels: Labels, shape: tuple[int, ...], axis: Any) -> tuple[int, ...]:
    """Return the axes of an array that labels number: the last ones, or the one that is given.

    {Raises} ShapeError: If the extents differ.
    """
    own = tuple(labels.codes.shape)
    if len(own) == 1 and axis is not None:
        axes = normalize_axes(axis, len(shape))
        if len(axes) == 1 and own[0] == shape[axes[0]]:
            return axes
    elif len(own) <= len(shape):
        last = shape[len(shape) - len(own) :]
        if all(n in (1, extent) for n, extent in zip(own, last, strict=True)):
            return tuple(range(len(shape) - len(own), len(shape)))
    raise _unfit("labels", own, shape, axis)


def _options(
    func: str, reduction: GroupReduction, dtype: DTypeLike | None, options: dict[str, Any]
) -> dict[str, Any]:
    for name in options:
        if name not in reduction.options or name == "dtype":
            raise ArgumentTypeError(f"groupby_reduce(func={func!r}) has no argument {name!r}")
    if func.endswith("quantile") and "q" not in options:
        raise ArgumentTypeError(f"groupby_reduce(func={func!r}) needs q, the quantiles wanted")
    if "dtype" in reduction.options and dtype is not None:
        return {**options, "dtype": wanted_dtype(dtype)}
    return options


def _expected(groups: Any, count: int) -> Sequence[Any]:
    """The groups that are expected of each of the labels."""
    if not count:
        raise ArgumentTypeError("groupby_reduce needs labels")
    if count == 1 and not (isinstance(groups, tuple) and len(groups) == 1):
        return [groups]
    if groups is None:
        return [None] * count
    if not isinstance(groups, tuple) or len(groups) != count:
        raise ArgumentTypeError(
            f"expected_groups must be a tuple of {count} entries, one for each label array"
        )
    return groups


def _reduced(axis: Any, axes: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    chosen = normalize_axes(axis, ndim)
    if not set(chosen) <= set(axes):
        raise ShapeError(f"axis {axis} is not among the axes {axes}, which have labels")
    return chosen


def _with_rows(codes: Codes, kept: Sequence[int], count: int) -> tuple[Any, int]:
    """Codes by which cells along kept axes of labels are in groups of their own; their number."""
    whole: Any = codes
    rows: Any = np.zeros((1,) * codes.ndim, np.intp)
    for axis in kept:
        extent = codes.shape[axis]
        along = np.arange(extent).reshape([-1 if a == axis else 1 for a in range(codes.ndim)])
        rows = rows * extent + along
    if kept:
        whole = np.where(whole >= 0, whole + rows * count, -1)
    return whole, count * prod(codes.shape[axis] for axis in kept)


def _in_order(result: Array, cells: GroupCells, labels: Labels) -> Array:
    """The result with its kept axes, its rows too, in the order of the array's."""
    extents = [cells.x.shape[axis] for axis in cells.rows]
    result = result.reshape((*result.shape[:-1], *extents, *labels.counts))
    kept, groups = [*cells.kept_axes, *cells.rows], len(labels.counts)
    before = range(result.ndim - len(kept) - groups)
    own = [len(before) + n for n in np.argsort(kept).tolist()]
    last = range(result.ndim - groups, result.ndim)
    order = (*before, *own, *last)
    return result if order == tuple(range(result.ndim)) else result.transpose(order)


def _one_is_enough(cells: GroupCells, min_count: int | None) -> bool:
    """Whether a group with a cell has a value, whatever the cell is."""
    return not (cells.rows or cells.has_null or (min_count or 0) > 1) and cells.x.size > 0


def _filled(
    reduction: GroupReduction, cells: GroupCells, values: Array, fill_value: Any, min_count: Any
) -> Array:
    """The result, with a value for groups of too few cells."""
    is_null = reduction.empty is None and cells.has_null  # of groups in which all is left out
    if (reduction.has_identity or is_null) and fill_value is None and not min_count:
        return values
    least = whole_number("min_count", min_count or 1, 0)
    empty = reduction.empty if fill_value is None and not min_count else fill_value
    skipna = cells.skipna if min_count is None else min_count > 0
    counted = cells.with_cells(cells.x, skipna=skipna)
    numbers = counted.numbers()
    if isinstance(numbers, np.ndarray) and (numbers >= least).all():
        return values
    if empty is not None:
        return np.where(numbers >= least, values, empty)  # type: ignore[return-value]
    kind = values.dtype.kind
    null: Any = np.array("NaT", values.dtype) if kind in "mM" else np.nan
    wide = values if kind in "fcmM" else values.astype(np.float64)
    return np.where(numbers >= least, wide, null)  # type: ignore[return-value]
