"""Dask's ``assert_eq`` for our arrays: declared shape and dtype, then the values, all compared."""

from __future__ import annotations

from typing import Any

import dask.array as da
import dask.array.utils
import numpy as np

import dask_tapestry as dt


def assert_eq(a: Any, b: Any, scheduler: str = "sync", **kwargs: Any) -> bool:
    """Assert that two arrays are equal, of which at least one is expected to be ours."""
    for name in ("check_graph", "check_chunks"):  # of Dask's graphs and blocks
        kwargs.pop(name, None)
    compared = [value_of(x, scheduler, kwargs.get("check_shape", True)) for x in (a, b)]
    return bool(dask.array.utils.assert_eq(*compared, scheduler=scheduler, **kwargs))


def value_of(x: Any, scheduler: str, check_shape: bool) -> Any:
    """The computed value of one of ours, which is as its array declared; all else as it is."""
    if isinstance(x, da.Array):
        raise AssertionError("an array of dask.array came out where ours was asked for")
    if not isinstance(x, dt.Array | dt.ma.MaskedArray):
        return x
    value = x.compute(scheduler=scheduler)
    if hasattr(value, "todense"):  # as Dask's own does, which compares cells
        value = value.todense()
    assert np.asanyarray(value).dtype == x.dtype, f"declared {x.dtype}, computed {value.dtype}"
    if check_shape:
        assert np.shape(value) == x.shape, f"declared {x.shape}, computed {np.shape(value)}"
    return value
