"""Folds of groups that are an axis: those of `GroupFold`, by reductions of whole axes."""

from __future__ import annotations

from math import prod

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.statistics.nan_reductions import nan_filled
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry.operators.reductions.reduce import reduce

EXTREMES = ("min", "max")
SPREADS = ("mean", "var", "std")


def has_plain_fold(x: Array, monoid: str, skipna: bool) -> bool:
    """Whether `fold_plainly` has the value that a fold of groups has: not of times, and no cells.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> has_plain_fold(dt.ones(3), "any", True), has_plain_fold(dt.ones(3), "any", False)
    (False, True)
    """
    if x.dtype.kind not in "biuf" or not prod(x.shape):
        return False
    return not (skipna and x.dtype.kind == "f" and monoid in ("any", "all"))


def neutral_cell(x: Array, monoid: str, skipna: bool) -> np.generic | None:
    """A cell, of the dtype of `x`, that changes no fold; None if there is none.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.ones(3, "i2")
    >>> neutral_cell(x, "min", False), neutral_cell(x, "sum", False)
    (np.int16(32767), np.int16(0))
    """
    dtype, declared = x.dtype, MONOIDS[monoid]
    if skipna and dtype.kind == "f":
        return dtype.type(np.nan)
    if monoid in EXTREMES:
        least = monoid == "max"
        if dtype.kind == "f":
            return dtype.type(-np.inf if least else np.inf)
        limits = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return dtype.type(limits[0] if least else limits[1])
    if monoid in SPREADS or declared.neutral is None:
        return None
    return dtype.type(declared.neutral if declared.filler is None else declared.filler)


def fold_plainly(
    x: Array,
    monoid: str,
    axes: tuple[int, ...],
    *,
    skipna: bool = False,
    dtype: np.dtype[np.generic] | None = None,
    ddof: float = 0.0,
) -> Array:
    """Fold whole axes, with the dtype that `group_fold` has and sums in double precision.

    {Parameters} monoid, skipna, dtype, ddof: As of `group_fold`.
    """
    leaves_out = skipna and x.dtype.kind == "f"
    if leaves_out and monoid in ("sum", "prod"):
        x = nan_filled(x, float(monoid == "prod"))
    elif leaves_out:
        monoid = f"f{monoid}" if monoid in EXTREMES else f"nan{monoid}"
    kind = np.dtype(np.float64) if monoid in SPREADS and x.dtype.kind in "biu" else x.dtype
    result, _ = MONOIDS[monoid].dtypes(kind, dtype)
    is_sum = result.kind == "f" and monoid.removeprefix("f") not in EXTREMES
    wide = np.dtype(np.float64) if is_sum and result.itemsize < 8 else dtype
    return Array(reduce(x.node, monoid, axes, dtype=wide, ddof=ddof)).astype(result)
