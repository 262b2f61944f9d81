"""Core dimensions of `xarray.apply_ufunc`: those in several chunks are joined by the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from dask_tapestry.arrays.core.array import Array


def joined_by_the_plan(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Let functions of arrays of this library have core dimensions that are in several chunks.

    xarray refuses them, as chunks are how Dask cuts an array. Here a plan cuts other dimensions.

    {Parameters} apply: ``apply_variable_ufunc`` of xarray.
    {Returns} Callable: Of the same signature; it has xarray's as ``__wrapped__``.
    """

    @wraps(apply)
    def applied(
        func: Callable[..., Any],
        *args: Any,
        dask: str = "forbidden",
        dask_gufunc_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Any:
        if dask == "parallelized" and any(isinstance(_data_of(one), Array) for one in args):
            dask_gufunc_kwargs = {"allow_rechunk": True, **(dask_gufunc_kwargs or {})}
        return apply(func, *args, dask=dask, dask_gufunc_kwargs=dask_gufunc_kwargs, **options)

    return applied


def _data_of(x: Any) -> Any:
    return getattr(x, "_data", x)
