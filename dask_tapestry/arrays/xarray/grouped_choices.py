"""xarray's `fillna` and `where` of groups: all cells at once, not group by group.

xarray takes each group, chooses among its cells, and puts all back in order, by graphs that grow
with the groups. A choice is made cell by cell: what each group has is taken to its cells, as xarray
itself does in arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
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
        return self._binary_op(value.copy(deep=False), lambda data, own: data.fillna(own))

    return together


def choosing_together(where: Function) -> Function:
    """Xarray's `where` of groups; what cells have where it does not hold may not be by group."""

    @wraps(where)
    def together(self: Any, cond: Any, *other: Any, **named: Any) -> Any:
        if not all(map(np.isscalar, (*other, *named.values()))) or not _has_each_group(self, cond):
            return where(self, cond, *other, **named)
        return self._binary_op(
            cond.copy(deep=False), lambda data, own: data.where(own, *other, **named)
        )

    return together


def _has_each_group(grouped: Any, value: Any) -> bool:
    """Whether a value has an entry for the group of each cell, and cells are of this library."""
    if grouped._by_chunked or len(grouped.groupers) != 1:
        return False
    (grouper,) = grouped.groupers
    if grouper.group.ndim != 1 or not isinstance(value, xarray.DataArray | xarray.Dataset):
        return False
    data = grouped._original_obj
    variables = data.data_vars.values() if isinstance(data, xarray.Dataset) else [data]
    if not any(isinstance(one.variable._data, Array) for one in variables):
        return False
    index, groups = value.indexes.get(grouper.name), grouper.unique_coord.to_index()
    is_known = index is not None and index.is_unique and groups.isin(index).all()
    return bool(is_known and (grouped.encoded.codes >= 0).all())
