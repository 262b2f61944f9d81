"""xarray's interpolations: between points, and over gaps, as they are of arrays in memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from xarray.core import missing

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.xarray.filled_gaps import filler_of
from dask_tapestry.arrays.xarray.interpolated_dtypes import dtype_computed


def interpolating_here(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Declare the dtype that SciPy computes; fill gaps of a block at once.

    {Parameters} apply: ``apply_ufunc``, as ``xarray.core.missing`` calls it.
    {Returns} Callable: Of the same signature; it has xarray's as ``__wrapped__``.
    """

    @wraps(apply)
    def applied(func: Callable[..., Any], *args: Any, **how: Any) -> Any:
        if any(isinstance(getattr(one, "_data", None), Array) for one in map(_variable, args)):
            if func is getattr(missing, "_interpnd", None):
                how["output_dtypes"] = [dtype_computed(func, args[0].dtype, **how["kwargs"])]
            elif (fill := filler_of(func, args[0].dtype)) is not None:
                func, how["vectorize"] = fill, False
        return apply(func, *args, **how)

    return applied


def _variable(x: Any) -> Any:
    """The variable of a DataArray; others as they are."""
    return getattr(x, "variable", x)
