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
    value: float | None
    if skipna and dtype.kind == "f":
        value = np.nan
    elif monoid in SPREADS:
        value = None
    elif monoid not in EXTREMES:
        value = declared.neutral if declared.filler is None else declared.filler
    elif dtype.kind == "f":
        value = np.inf if monoid == "min" else -np.inf
    elif dtype.kind == "b":
        value = monoid == "min"
    else:
        limits = np.iinfo(dtype)
        value = int(limits.max if monoid == "min" else limits.min)
    cell: np.generic | None = None if value is None else dtype.type(value)
    return cell


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
