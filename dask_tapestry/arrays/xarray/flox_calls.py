"""Calls of flox that reduce groups of arrays of this library, as xarray's are where flox is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.grouping import groupby_reduce
from dask_tapestry.arrays.grouping.reductions import REDUCTIONS


def callers_of_flox() -> tuple[Any, ...]:
    """The modules of flox that call its reduction by their own name for it; none without flox."""
    if find_spec("flox") is None:
        return ()
    import flox.core  # noqa: PLC0415  (an optional package)
    import flox.xarray  # noqa: PLC0415

    return flox, flox.core, flox.xarray


def reduced_by_us(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """``flox.groupby_reduce``, but for arrays of this library, whose groups are reduced here."""

    @wraps(reduce)
    def arrived(array: Any, *by: Any, func: Any, **how: Any) -> Any:
        is_ours = any(isinstance(one, Array) for one in (array, *by))
        if not is_ours or not isinstance(func, str) or func not in REDUCTIONS:
            return reduce(array, *by, func=func, **how)
        names = ("axis", "fill_value", "dtype", "min_count")
        given = {name: how[name] for name in names if how.get(name) is not None}
        if type(given.get("fill_value")).__module__.startswith("flox"):
            del given["fill_value"]  # it stands for what is missing in the dtype
        given |= how.get("finalize_kwargs") or {}
        expected = _expected(how.get("expected_groups"), how.get("isbin", False), len(by))
        return groupby_reduce(array, *by, func=func, expected_groups=expected, **given)

    return arrived


def _expected(groups: Any, isbin: bool | Sequence[bool], count: int) -> tuple[Any, ...]:
    """The groups that flox expects, as `groupby_reduce` takes them."""
    each = groups if isinstance(groups, tuple) else (groups,) * count
    bins = isbin if isinstance(isbin, Sequence) else (isbin,) * count
    return tuple(
        pd.IntervalIndex.from_breaks(one)
        if is_bin and not isinstance(one, pd.IntervalIndex)
        else one
        if one is None or isinstance(one, pd.IntervalIndex)
        else np.asarray(one)
        for one, is_bin in zip(each, bins, strict=True)
    )
