"""The functions that xarray takes from a chunk manager by name: the library's, by Dask's names."""

from __future__ import annotations

from typing import Any

from dask_tapestry.array.overlap.sliding import sliding_window_view
from dask_tapestry.array.xarray.blockwise_reshape import reshape_blockwise
from dask_tapestry.imports import lazy_import

__all__: list[str] = []  # nothing of its own
SERVED = {"reshape_blockwise": reshape_blockwise, "sliding_window_view": sliding_window_view}


def __getattr__(name: str) -> Any:
    """Return the function of a name."""
    served = SERVED.get(name)
    return getattr(lazy_import("dask_tapestry"), name) if served is None else served
