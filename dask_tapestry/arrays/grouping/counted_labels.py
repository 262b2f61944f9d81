"""Labels that count on, as hours of the day do: their groups are an axis of the reshaped cells.

Such labels come in runs of one length, one group after the other, again and again: hours of the day
in hourly data, months in monthly ones, days of which each has as many hours. A fold of their groups
is a fold of two axes of three, in which a plan cuts the groups as it cuts any axis; a table of
labels tells it nothing of where a group's cells lie.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.grouping.label_codes import Codes
from dask_tapestry.arrays.manipulation.roll_flip import roll
from dask_tapestry.arrays.shape.transposing import moveaxis
from dask_tapestry.arrays.statistics.nan_reductions import nan_filled
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry.operators.reductions.reduce import reduce

EXTREMES = ("min", "max")
SPREADS = ("mean", "var", "std")


class Counting(NamedTuple):
    """How labels count on.

    {Attributes}
        rounds: How often all groups come.
        groups: How many there are.
        run: Cells of a group side by side.
        first: The group that comes first.
    """

    rounds: int
    groups: int
    run: int
    first: int


def counting_of(codes: Codes, count: int) -> Counting | None:
    """How the codes of one axis count on; None if they do not, or are not known.

    Examples
    --------
    >>> counting_of(np.array([1, 1, 2, 2, 0, 0]), 3)
    Counting(rounds=1, groups=3, run=2, first=1)
    """
    if not isinstance(codes, np.ndarray) or codes.ndim != 1 or not codes.size or count < 2:
        return None
    first = int(codes[0])
    run = int(np.argmax(codes != first)) or codes.size
    rounds, rest = divmod(codes.size, run * count)
    if rest or not 0 <= first < count:
        return None
    counted = (np.arange(codes.size) // run + first) % count
    return Counting(rounds, count, run, first) if np.array_equal(codes, counted) else None


def fold_counted(
    x: Array,
    counting: Counting,
    monoid: str,
    axis: int,
    whole: tuple[int, ...],
    *,
    skipna: bool = False,
    dtype: np.dtype[np.generic] | None = None,
    ddof: float = 0.0,
) -> Array | None:
    """Fold the cells of each group along `axis`, and whole axes, to the kept axes and the groups.

    {Parameters} monoid, skipna, dtype, ddof: As of `group_fold`, whose dtype the result has.
    {Returns} Array or None: None where plain folds have no such value: of times, and of no cells.
    """
    if x.dtype.kind not in "biuf" or not prod(x.shape):
        return None
    leaves_out = skipna and x.dtype.kind == "f"
    if leaves_out and monoid in ("any", "all"):
        return None
    if leaves_out and monoid in ("sum", "prod"):
        x = nan_filled(x, float(monoid == "prod"))
    elif leaves_out:
        monoid = f"f{monoid}" if monoid in EXTREMES else f"nan{monoid}"
    kind = np.dtype(np.float64) if monoid in SPREADS and x.dtype.kind in "biu" else x.dtype
    result, _ = MONOIDS[monoid].dtypes(kind, dtype)
    is_sum = result.kind == "f" and monoid.removeprefix("f") not in EXTREMES
    wide = np.dtype(np.float64) if is_sum and result.itemsize < 8 else dtype
    rounds, count, run, first = counting
    split = x.reshape((*x.shape[:axis], rounds, count, run, *x.shape[axis + 1 :]))
    folded = [axis, axis + 2, *[a if a < axis else a + 2 for a in whole]]
    found = Array(reduce(split.node, monoid, tuple(folded), dtype=wide, ddof=ddof)).astype(result)
    groups = axis - sum(a < axis for a in whole)
    return moveaxis(roll(found, first, groups) if first else found, groups, -1)
