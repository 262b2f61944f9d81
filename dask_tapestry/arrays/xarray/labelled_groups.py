"""Reductions of xarray's groups whose labels are lazy, as the values of a label raster in a store.

xarray leaves these to flox; the groups are those that are expected. Groups without cells are NaN.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import xarray
from xarray.core.options import _get_keep_attrs

from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.xarray.group_functions import GroupFunction, in_chunks_of
from dask_tapestry.errors import ArgumentError

Dims = tuple[Hashable, ...]


def reduced_by_labels(
    grouped: Any, function: GroupFunction, dim: Any, keep_attrs: bool | None
) -> Any:
    """Reduce each group of an object whose groups are numbered by arrays that are not in memory.

    {Raises} ArgumentError: If none of the dimensions that are reduced has labels.
    """
    data, reduced = grouped._original_obj, grouped._parse_dim(dim)
    labelled = grouped._parse_dim(None)
    if not set(labelled) & set(reduced):
        raise ArgumentError(f"labels of {labelled} are not reduced along {reduced}")
    keeps_attrs = _get_keep_attrs(default=True) if keep_attrs is None else keep_attrs
    variables = data.data_vars if isinstance(data, xarray.Dataset) else {None: data}
    by_name = {
        name: _variable(grouped, function, one.variable, labelled, reduced, keeps_attrs)
        for name, one in variables.items()
    }
    coords: dict[Any, Any] = {
        name: c for name, c in data.coords.items() if not set(c.dims) & set(reduced)
    }
    for grouper in grouped.groupers:
        coords[grouper.name] = (grouper.name, grouper.full_index, grouper.codes.attrs)
    if isinstance(data, xarray.Dataset):
        return xarray.Dataset(by_name, coords, data.attrs if keeps_attrs else None)
    return grouped._restore_dim_order(xarray.DataArray(by_name[None], coords, name=data.name))


def _variable(
    grouped: Any,
    function: GroupFunction,
    variable: Any,
    labelled: Dims,
    reduced: Dims,
    keep_attrs: bool,
) -> Any:
    names = [grouper.name for grouper in grouped.groupers]
    counts = [len(grouper) for grouper in grouped.groupers]
    attrs = variable.attrs if keep_attrs else None
    if not set(variable.dims) & {*labelled, *reduced}:
        sizes = dict(zip(names, counts, strict=True)) | dict(variable.sizes)
        return xarray.Variable(tuple(sizes), variable.set_dims(sizes).data, attrs)
    sizes = {dim: grouped._obj.sizes[dim] for dim in labelled if dim not in variable.dims}
    variable = variable.set_dims({**sizes, **variable.sizes})
    others = [dim for dim in reduced if dim not in labelled and dim in variable.dims]
    last = [*labelled, *others]
    variable = variable.transpose(..., *last)
    labels = [_labels(grouper.codes.variable, last) for grouper in grouped.groupers]
    axes = tuple(axis for axis, dim in enumerate(variable.dims) if dim in reduced)
    cells = function.reduced_by_labels(asarray(variable.data), labels, counts, axes)
    kept = [dim for dim in variable.dims if dim not in reduced]
    more = ["quantile"] if cells.ndim > len(kept) + len(names) else []
    made = xarray.Variable([*more, *kept, *names], cells, attrs)
    found = in_chunks_of(made, variable, names)
    return found.transpose(*names, ...) if len(names) == 1 else found


def _labels(codes: Any, dims: list[Hashable]) -> Any:
    """Codes with all dimensions, those that they lack of extent 1."""
    missing = {dim: 1 for dim in dims if dim not in codes.dims}
    return codes.set_dims({**missing, **codes.sizes}).transpose(*dims).data
