"""The dtype of what xarray interpolates: SciPy's, which is not always the one that xarray names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Final

import numpy as np
from xarray.core import missing

from dask_tapestry.arrays.core.array import Array

POINTS: Final = 16  # along each dimension of the trial: all methods but polynomials need fewer


def in_the_dtype_computed(apply: Callable[..., Any]) -> Callable[..., Any]:
    """Declare the dtype that SciPy computes, which xarray has of arrays in memory.

    Xarray declares the dtype of the cells to Dask, whose blocks then have another one. Here a
    declared dtype stays, and cells would be rounded to it.

    {Parameters} apply: ``apply_ufunc``, as ``xarray.core.missing`` calls it.
    {Returns} Callable: Of the same signature; it has xarray's as ``__wrapped__``.
    """

    @wraps(apply)
    def applied(func: Callable[..., Any], *args: Any, **how: Any) -> Any:
        is_ours = any(isinstance(getattr(one, "_data", None), Array) for one in args)
        if is_ours and func is getattr(missing, "_interpnd", None):
            how["output_dtypes"] = [_dtype_computed(func, args[0].dtype, **how["kwargs"])]
        return apply(func, *args, **how)

    return applied


def _dtype_computed(
    interpolate: Callable[..., Any],
    dtype: np.dtype[Any],
    *,
    result_coord_core_dims: Sequence[tuple[Any, ...]],
    **how: Any,
) -> np.dtype[Any]:
    """The dtype that a method makes of cells of `dtype`, of a few that it is tried on."""
    count = len(result_coord_core_dims)
    points = POINTS + (how["interp_kwargs"].get("order") or 0)
    places = [np.arange(float(points))] * count
    targets = [np.full((1,) * len(dims), points / 2) for dims in result_coord_core_dims]
    cells = np.zeros((points,) * count, dtype)
    found = interpolate(
        cells, *places, *targets, result_coord_core_dims=result_coord_core_dims, **how
    )
    return np.asarray(found).dtype
