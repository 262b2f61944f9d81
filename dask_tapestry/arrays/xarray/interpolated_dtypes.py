"""The dtype of what xarray interpolates: SciPy's, which is not always the one that xarray names.

Xarray declares the dtype of the cells to Dask, whose blocks then have another one. Here a declared
dtype stays, and cells would be rounded to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

POINTS: Final = 16  # along each dimension of the trial: all methods but polynomials need fewer


def dtype_computed(
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
