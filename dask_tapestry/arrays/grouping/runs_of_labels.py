"""Labels in runs, as months of days are: each group's cells lie side by side, as many or fewer.

The groups become an axis beside one of their cells, of which a block reads those of its groups: a
plan cuts the groups, and a table of all groups is nowhere. Runs that are shorter than the longest
are filled up with cells that change nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.grouping.label_codes import Codes
from dask_tapestry.arrays.grouping.plain_folds import (
    EXTREMES,
    SPREADS,
    fold_plainly,
    has_plain_fold,
)
from dask_tapestry.arrays.indexing.take import take
from dask_tapestry.arrays.shape.transposing import moveaxis
from dask_tapestry.arrays.tuning import MOST_RUN_CELLS, MOST_RUN_FILLING
from dask_tapestry.operators.reductions.group_fold import identity_of

Numbers = np.ndarray[Any, np.dtype[np.intp]]


class Runs(NamedTuple):
    """Where each group's cells lie.

    {Attributes}
        starts: The first cell of each group; of a group without cells, of one before it.
        lengths: How many it has.
    """

    starts: Numbers
    lengths: Numbers

    @property
    def places(self) -> Numbers:
        """Each group's cells in a row, the last one again in those of shorter runs.

        Examples
        --------
        >>> Runs(np.array([0, 2]), np.array([2, 3])).places
        array([[0, 1, 1],
               [2, 3, 4]])
        """
        last = self.starts + np.maximum(self.lengths, 1) - 1
        steps = np.arange(self.lengths.max())
        found: Numbers = np.minimum(self.starts[:, None] + steps, last[:, None])
        return found

    @property
    def held(self) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
        """Which of `places` are the group's; None where all are."""
        if (self.lengths == self.lengths.max()).all():
            return None
        steps = np.arange(self.lengths.max())
        found: np.ndarray[Any, np.dtype[np.bool_]] = np.less(steps, self.lengths[:, None])
        return found


def runs_of(codes: Codes, count: int) -> Runs | None:
    """The runs that the codes of one axis come in; None if they do not, or are not known.

    Runs are none where filling them up would add many cells, or where they are so long that a
    table of their groups is small beside their cells.

    Examples
    --------
    >>> runs_of(np.array([1, 1, 1, -1, 2, 2, 2]), 3)
    Runs(starts=array([0, 0, 4]), lengths=array([0, 3, 3]))
    """
    if not isinstance(codes, np.ndarray) or codes.ndim != 1 or not codes.size or count < 2:
        return None
    begins = np.append(0, np.flatnonzero(codes[1:] != codes[:-1]) + 1)
    numbers, sizes = codes[begins], np.diff(np.append(begins, codes.size))
    known = (numbers >= 0) & (numbers < count)
    numbers, begins, sizes = numbers[known], begins[known], sizes[known]
    if not numbers.size or len(np.unique(numbers)) < len(numbers):
        return None
    if sizes.max() > MOST_RUN_CELLS or sizes.max() * count > MOST_RUN_FILLING * sizes.sum():
        return None
    starts, lengths = np.zeros(count, np.intp), np.zeros(count, np.intp)
    starts[numbers], lengths[numbers] = begins, sizes
    return Runs(np.where(lengths > 0, starts, np.maximum.accumulate(starts)), lengths)


def fold_runs(
    x: Array,
    runs: Runs,
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
    {Returns} Array or None: None where plain folds have no such value: of times, of no cells, and
        of spreads that are to be NaN where a cell is.
    """
    if not has_plain_fold(x, monoid, skipna):
        return None
    held = runs.held
    if held is not None and monoid in SPREADS:
        if x.dtype.kind == "f" and not skipna:
            return None
        x, skipna = x if x.dtype.kind == "f" else x.astype(np.float64), True
    rows = take(x, runs.places, axis=axis)
    if held is not None:
        shape = [*held.shape, *[1] * (x.ndim - axis - 1)]
        rows = where(held.reshape(shape), rows, _filling(x.dtype, monoid, skipna))
    folded = (axis + 1, *[a if a < axis else a + 1 for a in whole])
    found = fold_plainly(rows, monoid, tuple(sorted(folded)), skipna=skipna, dtype=dtype, ddof=ddof)
    return moveaxis(found, axis - sum(a < axis for a in whole), -1)


def _filling(dtype: np.dtype[Any], monoid: str, skipna: bool) -> Any:
    """A cell that changes no group of a monoid."""
    if dtype.kind == "f" and skipna:
        return dtype.type(np.nan)
    if monoid in EXTREMES:
        return identity_of(monoid, dtype)
    return dtype.type(monoid in ("prod", "all"))
