"""xarray's `fillna` and `where` of groups: all cells at once, not group by group.

xarray takes each group, chooses among its cells, and puts all back in order, by graphs that grow
with the groups. A choice is made cell by cell: what each group has is taken to its cells, as xarray
itself does in arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any

import numpy as np
import xarray

from dask_tapestry.arrays.core.array import Array

Function = Callable[..., Any]


def filling_together(fillna: Function) -> Function:
    """Xarray's `fillna` of groups."""

    @wraps(fillna)
    def together(self: Any, value: Any) -> Any:
        if not _has_each_group(self, value):
            return fillna(self, value)
        (dim,) = self.groupers[0].group.dims
        return _chosen(self, value, lambda data, own: _along(dim, data.fillna(own)))

    return together


def choosing_together(where: Function) -> Function:
    """Xarray's `where` of groups; what cells have where it does not hold may not be by group."""

    @wraps(where)
    def together(self: Any, cond: Any, *other: Any, **named: Any) -> Any:
        if not all(map(np.isscalar, (*other, *named.values()))) or not _has_each_group(self, cond):
            return where(self, cond, *other, **named)
        return _chosen(self, cond, lambda data, own: data.where(own, *other, **named))

    return together


def _chosen(grouped: Any, value: Any, choose: Function) -> Any:
    """The choice among cells and what their groups have; texts are labels of one width."""
    found = grouped._binary_op(value.copy(deep=False), choose)
    (name,) = [grouper.name for grouper in grouped.groupers]
    if name in grouped._original_obj.coords or found[name].dtype != object:
        return found
    return found.assign_coords({name: found[name].copy(data=np.array(found[name].values.tolist()))})


def _along(dim: Hashable, filled: Any) -> Any:
    """A dataset whose variables all lie along the dimension of groups, as xarray puts them back.

    Those that the values of groups lack may not yet.
    """
    if not isinstance(filled, xarray.Dataset):
        return filled
    extent = {dim: filled.sizes[dim]}
    rest: dict[Hashable, Any] = {n: one for n, one in filled.items() if dim not in one.dims}
    return filled.assign(
        {name: one.variable.set_dims({**extent, **one.sizes}) for name, one in rest.items()}
    )


def _has_each_group(grouped: Any, value: Any) -> bool:
    """Whether a value has an entry for each of several groups, and cells are of this library.

    What is chosen for a single group keeps that group's label as a scalar: that is xarray's.
    """
    if grouped._by_chunked or len(grouped.groupers) != 1:
        return False
    (grouper,) = grouped.groupers
    if (
        grouper.group.ndim != 1
        or len(grouper) < 2
        or not isinstance(value, xarray.DataArray | xarray.Dataset)
    ):
        return False
    data = grouped._original_obj
    variables = data.data_vars.values() if isinstance(data, xarray.Dataset) else [data]
    if not any(isinstance(one.variable._data, Array) for one in variables):
        return False
    index, groups = value.indexes.get(grouper.name), grouper.unique_coord.to_index()
    is_known = index is not None and index.is_unique and groups.isin(index).all()
    return bool(is_known and (grouped.encoded.codes >= 0).all())
