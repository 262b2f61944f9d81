"""Activation of this library in xarray, in place of Dask, for good or for a while."""

from __future__ import annotations

from inspect import unwrap
from types import TracebackType
from typing import Any

import xarray
from xarray.backends import zarr
from xarray.compat import dask_array_ops
from xarray.computation import apply_ufunc as ufuncs
from xarray.computation import rolling
from xarray.core import duck_array_ops, groupby, missing, parallel, variable
from xarray.namedarray.parallelcompat import list_chunkmanagers

from dask_tapestry.arrays.xarray.chunk_manager import TapestryManager
from dask_tapestry.arrays.xarray.core_dimensions import joined_by_the_plan
from dask_tapestry.arrays.xarray.dataset_map_blocks import (
    as_one_expression,
    of_one_plan,
    returning_blocks,
)
from dask_tapestry.arrays.xarray.empty_slices import silent_of_empty_slices
from dask_tapestry.arrays.xarray.filled_forward import filling_here
from dask_tapestry.arrays.xarray.flox_calls import callers_of_flox, reduced_by_us
from dask_tapestry.arrays.xarray.grouped_choices import choosing_together, filling_together
from dask_tapestry.arrays.xarray.grouped_reductions import (
    joining_together,
    reducing_together,
    scanning_together,
    taking_ends_together,
    taking_quantiles_together,
)
from dask_tapestry.arrays.xarray.interpolations import interpolating_here
from dask_tapestry.arrays.xarray.least_squares import fitting_together
from dask_tapestry.arrays.xarray.means_of_times import mean
from dask_tapestry.arrays.xarray.running_windows import running_counts, running_reductions
from dask_tapestry.arrays.xarray.shifted_cells import in_chunks_as_before
from dask_tapestry.arrays.xarray.zarr_chunks import between_writes, of_equal_lengths

__all__ = ["use"]

SLOT = "dask"  # two managers that both know an array make xarray raise, so there is one place
WRAPPED = tuple(  # functions that do not ask a manager, by where xarray calls them
    (owner, name, wrap)
    for owner, name, wrap in (
        (xarray.Dataset, "__dask_graph__", of_one_plan),
        (xarray.Dataset, "__dask_exprs__", as_one_expression),
        (xarray, "map_blocks", returning_blocks),
        (parallel, "map_blocks", returning_blocks),
        *[
            (owner, name, wrap)
            for owner in (groupby.DataArrayGroupByBase, groupby.DatasetGroupByBase)
            for name, wrap in (("reduce", reducing_together), ("_combine", joining_together))
        ],
        (groupby.GroupBy, "quantile", taking_quantiles_together),
        (groupby.GroupBy, "_first_or_last", taking_ends_together),
        (groupby.GroupBy, "_flox_scan", scanning_together),
        (groupby.GroupBy, "fillna", filling_together),
        (groupby.GroupBy, "where", choosing_together),
        (duck_array_ops, "mean", lambda _: mean),
        (xarray.Variable, "_shift_one_dim", in_chunks_as_before),
        (xarray.Variable, "_roll_one_dim", in_chunks_as_before),
        (rolling.DataArrayRolling, "reduce", running_reductions),
        (rolling.DataArrayRolling, "_counts", running_counts),
        (variable, "_as_array_or_item", silent_of_empty_slices),
        (dask_array_ops, "push", filling_here),
        (dask_array_ops, "least_squares", fitting_together),
        (ufuncs, "apply_variable_ufunc", joined_by_the_plan),
        (missing, "apply_ufunc", interpolating_here),
        (zarr, "_determine_zarr_chunks", of_equal_lengths),
        (zarr, "validate_grid_chunks_alignment", between_writes),
    )
    if hasattr(owner, name)  # they are xarray's own, and may move
)


class use:  # noqa: N801  (it is called as a function, and may open a ``with`` block)
    """Let xarray make and compute chunked arrays through this library, for good or for a while.

    The chunk manager takes the place that Dask's has under the name ``"dask"``, which is xarray's
    default: ``ds.chunk()``, ``xr.open_zarr`` and ``xr.open_dataset(..., chunks=...)`` then make
    arrays of this library. Arrays of Dask's are served too; what the manager makes of them is ours.
    Where flox is installed, what xarray asks of it is computed here too.

    Returns
    -------
    use
        A context manager; leaving it puts back the manager before.

    Raises
    ------
    ModuleNotFoundError
        If xarray is not installed.

    Examples
    --------
    >>> import numpy as np, xarray as xr, dask_tapestry as dt
    >>> with dt.xarray.use():
    ...     xr.Variable("x", np.arange(3)).chunk(2).data
    dt.Array<nominalchunks, int64[3], 2 blocks of (2,)>
    """

    __module__ = "dask_tapestry.xarray"

    def __init__(self) -> None:
        managers = list_chunkmanagers()
        self._manager_before: Any = managers.get(SLOT)
        managers[SLOT] = TapestryManager()
        of_flox = [(owner, "groupby_reduce", reduced_by_us) for owner in callers_of_flox()]
        wrapped = (*WRAPPED, *of_flox)
        self._functions_before = [(owner, name, getattr(owner, name)) for owner, name, _ in wrapped]
        for owner, name, wrap in wrapped:
            setattr(owner, name, wrap(unwrap(getattr(owner, name))))

    def __enter__(self) -> use:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        list_chunkmanagers()[SLOT] = self._manager_before
        for owner, name, function in self._functions_before:
            setattr(owner, name, function)
