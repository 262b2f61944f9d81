"""Labels that count on, as hours of the day do: their groups are an axis of the reshaped cells.

Such labels come in runs of one length, one group after the other, again and again: hours of the day
in hourly data, months in monthly ones, days of which each has as many hours. A fold of their groups
is a fold of two axes of three, in which a plan cuts the groups as it cuts any axis; a table of
labels tells it nothing of where a group's cells lie.

Data begins and ends anywhere: of the first round and of the last one some cells may be missing.
Cells that change no fold stand for them.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.grouping.label_codes import Codes
from dask_tapestry.arrays.grouping.plain_folds import fold_plainly, has_plain_fold, neutral_cell
from dask_tapestry.arrays.manipulation.roll_flip import roll
from dask_tapestry.arrays.shape.transposing import moveaxis
from dask_tapestry.arrays.tuning import FEWEST_FILLED_ROUNDS, MOST_TABLED_BYTES
from dask_tapestry.operators.joins.pad import pad_constant
from dask_tapestry.operators.tuning import CELLS_A_GROUP
from dask_tapestry.teg.stored_grid import stored_spacing


class Counting(NamedTuple):
    """How labels count on.

    {Attributes}
        rounds: How often all groups come.
        groups: How many there are.
        run: Cells of a group side by side.
        first: The group that comes first.
        before: Cells of the first round that are missing.
        after: Cells of the last round that are missing.
    """

    rounds: int
    groups: int
    run: int
    first: int
    before: int = 0
    after: int = 0


def counting_of(codes: Codes, count: int) -> Counting | None:
    """How the codes of one axis count on; None if they do not, or are not known.

    Examples
    --------
    >>> counting_of(np.array([1, 1, 2, 2, 0, 0]), 3)
    Counting(rounds=1, groups=3, run=2, first=1, before=0, after=0)
    """
    if not isinstance(codes, np.ndarray) or codes.ndim != 1 or not codes.size or count < 2:
        return None
    first = int(codes[0])
    ends = [int(n) + 1 for n in np.flatnonzero(codes[1:] != codes[:-1])[:2]]
    run = ends[-1] - ends[0] if len(ends) > 1 else ends[0] if ends else codes.size
    before = run - ends[0] if ends else 0
    rounds = -(-(before + codes.size) // (run * count))
    after = rounds * run * count - before - codes.size
    few = rounds < FEWEST_FILLED_ROUNDS and (before or after)
    if few or before < 0 or not 0 <= first < count:
        return None
    counted = ((np.arange(codes.size) + before) // run + first) % count
    found = Counting(rounds, count, run, first, before, after)
    return found if np.array_equal(codes, counted) else None


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
    {Returns} Array or None: None where plain folds have no such value: of times, and of no cells;
        or where cells are missing for which none can stand, or need not.
    """
    if not has_plain_fold(x, monoid, skipna):
        return None
    rounds, count, run, first, *missing = counting
    if any(missing):
        filler = neutral_cell(x, monoid, skipna)
        if filler is None or _table_is_small(x, axis, count):
            return None
        before, after = missing
        x = Array(pad_constant(x.node, axis, (before, after), (filler, filler)))
    split = x.reshape((*x.shape[:axis], rounds, count, run, *x.shape[axis + 1 :]))
    folded = [axis, axis + 2, *[a if a < axis else a + 2 for a in whole]]
    how: Any = {"skipna": skipna, "dtype": dtype, "ddof": ddof}
    found = fold_plainly(split, monoid, tuple(folded), **how)
    groups = axis - sum(a < axis for a in whole)
    return moveaxis(roll(found, first, groups) if first else found, groups, -1)


def _table_is_small(x: Array, axis: int, groups: int) -> bool:
    """Whether cells for a table of all groups to be a small part of are read by one task.

    They lie beside those of a stored chunk.
    """
    sides = zip(stored_spacing(x.node), x.shape, strict=True)
    beside = [n if one is None else min(one.side, n) for one, n in sides]
    cells = prod([n for dim, n in enumerate(beside) if dim != axis])
    return cells * groups * CELLS_A_GROUP * x.dtype.itemsize <= MOST_TABLED_BYTES
