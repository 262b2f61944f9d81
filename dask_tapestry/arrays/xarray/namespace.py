"""The functions that xarray takes from a chunk manager by name: the library's, by Dask's names."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.elementwise.ufunc_functions import FUNCTIONS
from dask_tapestry.arrays.elementwise.where_and_clip import astype
from dask_tapestry.arrays.overlap.sliding import sliding_window_view
from dask_tapestry.arrays.xarray.blockwise_reshape import reshape_blockwise
from dask_tapestry.imports import lazy_import

__all__: list[str] = []  # nothing of its own
OF_MASKED_ARRAYS = ("getmaskarray", "masked_invalid")


def isnan(x: ArrayLike, dtype: DTypeLike = bool) -> Array:
    """Return where cells are NaN, in a dtype: Dask's takes any, NumPy's is a loop's."""
    return astype(FUNCTIONS["isnan"](x), dtype)


SERVED = {
    "isnan": isnan,
    "reshape_blockwise": reshape_blockwise,
    "sliding_window_view": sliding_window_view,
}


def __getattr__(name: str) -> Any:
    """Return the function of a name."""
    if name in SERVED:
        return SERVED[name]
    library = lazy_import("dask_tapestry")
    return getattr(library.ma if name in OF_MASKED_ARRAYS else library, name)
