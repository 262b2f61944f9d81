"""xarray's reductions of groups as one reduction: their graph does not grow with the groups.

xarray takes each group by itself, reduces it, and joins the results. Here it does so for the first
group, whose dimensions, coordinates and attributes all results have; their cells are those of one
`groupby_reduce`. Where cells along the grouped dimension are kept, all cells are reduced at once.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Hashable, Iterable
from functools import wraps
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np
import xarray
from xarray.core import duck_array_ops

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.xarray.group_functions import (
    Function,
    GroupFunction,
    group_function,
    in_chunks_of,
    reduced_axes,
)
from dask_tapestry.arrays.xarray.labelled_groups import reduced_by_labels
from dask_tapestry.first import first_of

OF_XARRAY: Final = ("keep_attrs", "axis", "numeric_only")  # the first group's reduction takes them
_under_way: Final = threading.local()


class Reduction(NamedTuple):
    """A reduction of groups that is under way.

    {Attributes}
        grouped: The object of xarray's.
        function: What is made of the cells.
        dims: The dimensions that are reduced, or `...`.
        call: The reduction of an object without groups.
    """

    grouped: Any
    function: GroupFunction
    dims: Any
    call: Function

    def takes(self, variable: Any) -> bool:
        """Whether it knows what to make of a variable."""
        keeps_groups = self.dims is not ... and self.grouped._group_dim not in self.dims
        if self.grouped._group_dim not in variable.dims or keeps_groups:
            return True
        return self.function.takes(variable._data)


def reducing_together(reduce: Function) -> Function:
    """Xarray's `reduce` of groups, which asks `joining_together` for the cells where it can."""

    @wraps(reduce)
    def together(
        self: Any, func: Function, dim: Any = None, *, shortcut: bool = True, **options: Any
    ) -> Any:
        rest = {k: v for k, v in options.items() if k not in OF_XARRAY}
        function = group_function(func, rest) if options.get("axis") is None else None

        def whole(data: Any) -> Any:
            return data.reduce(func, dim=_listed(self, dim), **options)

        def grouped(own: Any) -> Any:
            return reduce(own, func, dim, shortcut=shortcut, **options)

        keep_attrs = options.get("keep_attrs")
        return _reduced(self, function, dim, keep_attrs, whole, grouped)

    return together


def taking_quantiles_together(quantile: Function) -> Function:
    """Xarray's `quantile` of groups, likewise."""

    @wraps(quantile)
    def together(self: Any, q: Any, dim: Any = None, **options: Any) -> Any:
        rest = {k: v for k, v in options.items() if k != "keep_attrs" and v is not None}
        skipna, q = rest.pop("skipna", None), np.asarray(q, np.float64)
        known = rest.keys() <= {"method"}
        function = GroupFunction("quantile", skipna, {"q": q, **rest}) if known else None

        def whole(data: Any) -> Any:
            return data.quantile(q, dim=_listed(self, dim), **options)

        def grouped(own: Any) -> Any:
            return quantile(own, q, dim, **options)

        return _reduced(self, function, dim, options.get("keep_attrs"), whole, grouped)

    return together


def scanning_together(scan: Function) -> Function:
    """Xarray's running totals of groups by flox, which has none of arrays of this library."""

    @wraps(scan)
    def together(self: Any, dim: Any, *, func: str, **options: Any) -> Any:
        data = self._obj if isinstance(self._obj, xarray.Dataset) else self._obj._to_temp_dataset()
        if not any(isinstance(one.variable._data, Array) for one in data.data_vars.values()):
            return scan(self, dim, func=func, **options)
        found = self.reduce(getattr(duck_array_ops, func), dim, **options)
        found = found.assign_coords(self._obj.coords)
        return found.transpose(..., *self._parse_dim(dim))  # flox has these last

    return together


def taking_ends_together(first_or_last: Function) -> Function:
    """Xarray's `first` and `last` of groups; it takes lazy groups for single cells."""

    @wraps(first_or_last)
    def together(self: Any, op: Any, skipna: bool | None, keep_attrs: bool | None) -> Any:
        if not self._by_chunked:
            return first_or_last(self, op, skipna, keep_attrs)
        function = GroupFunction(op, skipna, {})
        return reduced_by_labels(self, function, None, keep_attrs)

    return together


def _reduced(
    grouped: Any,
    function: GroupFunction | None,
    dim: Any,
    keep_attrs: bool | None,
    whole: Function,
    call: Function,
) -> Any:
    """The reduction by groups, of the variables that it takes all together."""
    if function is None:
        return call(grouped)
    if grouped._by_chunked:
        if function.is_scan:
            return call(grouped)
        return reduced_by_labels(grouped, function, dim, keep_attrs)
    reduction = Reduction(grouped, function, _listed(grouped, dim), whole)
    data = grouped._obj
    if isinstance(data, xarray.DataArray):
        is_ours = grouped._group_dim in data.dims and reduction.takes(data.variable)
        return _in_one(reduction, call) if is_ours else call(grouped)
    own = [name for name, held in data.data_vars.items() if reduction.takes(held.variable)]
    if not any(grouped._group_dim in data[name].dims for name in own):
        return call(grouped)
    if len(own) == len(data.data_vars):
        return _in_one(reduction, call)
    others = call(_of_variables(grouped, [name for name in data.data_vars if name not in own]))
    found = _in_one(reduction._replace(grouped=_of_variables(grouped, own)), call)
    found = found.assign(others.data_vars)
    return found[[name for name in data.data_vars if name in found.data_vars]]


def _in_one(reduction: Reduction, call: Function) -> Any:
    before = getattr(_under_way, "reduction", None)
    _under_way.reduction = reduction
    try:
        return call(reduction.grouped)
    finally:
        _under_way.reduction = before


def _of_variables(grouped: Any, names: list[Hashable]) -> Any:
    """The groups of some of the variables."""
    part = copy.copy(grouped)
    part._obj, part._dims, part._sizes = grouped._obj[names], None, None
    return part


def _listed(grouped: Any, dim: Any) -> Any:
    """The dimensions that are reduced, or `...`."""
    if dim is None:
        return [grouped._group_dim]
    if dim is ...:
        return dim
    return [dim] if isinstance(dim, str) or not isinstance(dim, Iterable) else [*dim]


def joining_together(combine: Function) -> Function:
    """Xarray's `_combine` of groups, which reduces the others as it has reduced the first."""

    @wraps(combine)
    def together(self: Any, applied: Any, *args: Any, **options: Any) -> Any:
        reduction: Reduction | None = getattr(_under_way, "reduction", None)
        if reduction is None or reduction.grouped is not self:
            return combine(self, applied, *args, **options)
        first = first_of(applied, what="group")
        is_reduced = self._group_dim not in first.dims
        found = _joined(reduction, first) if is_reduced else _in_order(reduction, first)
        if isinstance(found, xarray.DataArray):
            found = self._restore_dim_order(found)
        if is_reduced:
            found = found.assign_coords(self.encoded.coords)
        return self._maybe_reindex(self._maybe_unstack(found))

    return together


def _joined(reduction: Reduction, first: Any) -> Any:
    """The results of all groups, with the dimension of the groups first."""
    grouped = reduction.grouped
    (dim,) = grouped.encoded.unique_coord.dims
    codes, _ = _codes(grouped)
    count = int(codes.max()) + 1

    def variable(own: Any, example: Any) -> Any:
        if grouped._group_dim not in own.dims:
            wide = example.variable.set_dims({dim: count, **example.sizes})
            return in_chunks_of(wide, own, (dim,))
        axes = reduced_axes(own.dims, reduction.dims)
        axis = own.dims.index(grouped._group_dim)
        cells = reduction.function.reduced(own.data, axes, axis, codes)
        made = xarray.Variable((dim, *example.dims), cells, example.attrs)
        return in_chunks_of(made, own, (dim,))

    data = grouped._obj
    if isinstance(first, xarray.Variable):  # without coordinates, which are those of all cells
        return data._replace_maybe_drop_dims(variable(data.variable, first))
    if isinstance(data, xarray.DataArray):
        held = variable(data.variable, first)
        return xarray.DataArray(held, coords=first.coords, name=first.name)
    names = {
        name: variable(data[name].variable, example) for name, example in first.data_vars.items()
    }
    return xarray.Dataset(names, coords=first.coords, attrs=first.attrs)


def _in_order(reduction: Reduction, first: Any) -> Any:
    """The result where cells along the grouped dimension stay: in their order, or by groups."""
    grouped, function = reduction.grouped, reduction.function
    data, dim = grouped._obj, grouped._group_dim
    codes, order = _codes(grouped)
    result, is_bare = reduction.call(data), isinstance(first, xarray.Variable)
    if len(order) == len(codes):  # as xarray does: all in their order, some by groups
        order = np.arange(len(codes))
    else:
        result, is_bare = result.isel({dim: order}), False

    def variable(own: Any, whole: Any) -> Any:
        if dim not in whole.dims:
            return whole.set_dims({dim: len(order), **whole.sizes})
        axis, axes = own.dims.index(dim), reduced_axes(own.dims, reduction.dims)
        if not function.is_scan or axis not in axes:
            return whole
        cells = function.running(own.data, axes, axis, codes, order)
        return in_chunks_of(xarray.Variable(whole.dims, cells, whole.attrs), own)

    if isinstance(data, xarray.DataArray):
        held = variable(data.variable, result.variable)
        return data._replace_maybe_drop_dims(held) if is_bare else result.copy(data=held.data)
    names = {
        name: variable(data[name].variable, whole.variable)
        for name, whole in result.data_vars.items()
    }
    return result.assign(names)


def _codes(grouped: Any) -> tuple[Any, Any]:
    """The number of the group of each cell, groups without cells not counted; places by group."""
    extent = grouped._obj.sizes[grouped._group_dim]
    groups = [
        range(*group.indices(extent)) if isinstance(group, slice) else group
        for group in grouped.encoded.group_indices
    ]
    places = [group for group in groups if len(group)]
    order = np.fromiter(chain.from_iterable(places), np.intp)
    codes = np.full(extent, -1)
    codes[order] = np.repeat(np.arange(len(places)), [len(own) for own in places])
    return codes, order
