"""Core dimensions of `xarray.apply_ufunc`: those in several chunks are joined by the plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

from dask.utils import funcname

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.errors import ShapeError


def joined_by_the_plan(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Let functions of arrays of this library have core dimensions that are in several chunks.

    xarray refuses them, as chunks are how Dask cuts an array. Here a plan cuts other dimensions.

    {Parameters} apply: ``apply_variable_ufunc`` of xarray.
    {Returns} Callable: Of the same signature; it has xarray's as ``__wrapped__``.
    {Raises} ShapeError: Once called, if an argument has not the core dimensions that are named.
    """

    @wraps(apply)
    def applied(
        func: Callable[..., Any],
        *args: Any,
        dask: str = "forbidden",
        dask_gufunc_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Any:
        is_ours = any(isinstance(_data_of(one), Array) for one in args)
        if is_ours:
            _check_named(func, args, options.get("signature"))
        if dask == "parallelized" and is_ours:
            dask_gufunc_kwargs = {"allow_rechunk": True, **(dask_gufunc_kwargs or {})}
        return apply(func, *args, dask=dask, dask_gufunc_kwargs=dask_gufunc_kwargs, **options)

    return applied


def _check_named(func: Callable[..., Any], args: Sequence[Any], signature: Any) -> None:
    """See that each argument has the core dimensions that are named for it.

    {Raises} ShapeError: If it lacks one.
    """
    for number, (one, named) in enumerate(zip(args, signature.input_core_dims, strict=True)):
        dims = getattr(one, "dims", None)
        missing = [repr(dim) for dim in named if dims is not None and dim not in dims]
        if missing:
            raise ShapeError(
                f"xarray.apply_ufunc of {funcname(func)}: input_core_dims[{number}] is "
                f"{list(named)}, and that argument has the dimensions {tuple(dims or ())}, "
                f"without {', '.join(missing)}"
            )


def _data_of(x: Any) -> Any:
    return getattr(x, "_data", x)
