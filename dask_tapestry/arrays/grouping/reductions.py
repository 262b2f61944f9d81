"""The reductions of groups by name: how each is made of folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dtypes import promoted
from dask_tapestry.arrays.elementwise.predicates import isnull, notnull
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.grouping.group_cells import GroupCells
from dask_tapestry.arrays.grouping.sorted_groups import medians, quantiles
from dask_tapestry.arrays.shape.broadcasting import broadcast_to
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.reductions.group_fold import identity_of

Value = Callable[..., Array]
BEHIND_ALL: Final = np.iinfo(np.intp).max  # a running number of no cell


@dataclass(frozen=True)
class GroupReduction:
    """A reduction of groups.

    {Attributes}
        value: Of some cells by group, and of its options by name.
        empty: Value of a group without cells; None: NaN, or NaT.
        has_identity: Whether folding no cells gives that.
        options: Names of its options.
        skipna: Whether it leaves NaN and NaT out.
    """

    value: Value
    empty: Any = None
    options: tuple[str, ...] = ()
    skipna: bool = False
    has_identity: bool = False


def _fold(cells: GroupCells, monoid: str, dtype: Any = None, ddof: float = 0) -> Array:
    return cells.fold(monoid, dtype=dtype, ddof=ddof)


def _mean(cells: GroupCells, dtype: Any = None) -> Array:
    """The mean; where nothing is left out sums alone travel, as the sizes are known beside them."""
    kind = cells.x.dtype
    if kind.kind == "m" and dtype is None:
        return _mean_time(cells)
    if cells.has_null or kind.kind not in "biufc":
        return cells.fold("mean", dtype=dtype)
    asked = kind if dtype is None and kind.kind in "fc" else np.dtype(dtype or np.float64)
    wide = promoted(asked, np.float64)
    sizes = cells.sizes()
    found = cells.fold("sum", dtype=wide) / np.maximum(sizes, 1)
    return where(sizes > 0, found, np.nan).astype(asked)


def _mean_time(cells: GroupCells) -> Array:
    """The mean of lengths of time, in whole units."""
    dtype, numbers = cells.x.dtype, cells.numbers()
    left = where(isnull(cells.x), np.zeros((), dtype), cells.x) if cells.skipna else cells.x
    found = cells.with_cells(left).fold("sum") / np.maximum(numbers, 1)
    return where(numbers > 0, found, np.array("NaT", dtype))


def _count(cells: GroupCells) -> Array:
    return cells.with_cells(notnull(cells.x)).fold("sum")


def _best_place(cells: GroupCells, monoid: str) -> Array:
    """The running number, along the folded axes, of the first best cell of each group."""
    x = cells.x
    best = cells.at_cells(cells.fold(monoid))
    hit = x == best
    if x.dtype.kind in "fcmM" and not cells.skipna:
        hit = hit | (isnull(x) & isnull(best))
    numbers = where(hit, cells.running_numbers(), BEHIND_ALL)
    found = cells.with_cells(numbers).fold("min")
    return where(found == BEHIND_ALL, -1, found)


def _first(cells: GroupCells) -> Array:
    return _at_end(cells, "min", BEHIND_ALL)


def _last(cells: GroupCells) -> Array:
    return _at_end(cells, "max", -1)


def _at_end(cells: GroupCells, monoid: str, beyond: int) -> Array:
    """The cell of each group whose running number is the least or the greatest."""
    numbers, x = cells.running_numbers(), cells.x
    held = notnull(x) if cells.has_null else np.True_
    numbered = cells.with_cells(broadcast_to(where(held, numbers, beyond), x.shape))
    end = numbered.fold(monoid)
    hit = numbers == cells.at_cells(end)
    if x.dtype.kind == "c":
        found = cells.with_cells(where(hit, x, x.dtype.type(0))).fold("sum")
        return where((end >= 0) & (end < BEHIND_ALL), found, x.dtype.type(np.nan))
    if cells.has_null:
        null = np.array("NaT", x.dtype) if x.dtype.kind in "mM" else x.dtype.type(np.nan)
        return cells.with_cells(where(hit, x, null), skipna=True).fold("max")
    return cells.with_cells(where(hit, x, identity_of("max", x.dtype))).fold("max")


def _named(
    name: str,
    value: Value,
    empty: Any = None,
    options: tuple[str, ...] = (),
    has_identity: bool = False,
) -> dict[str, GroupReduction]:
    """A reduction, and the one that leaves NaN out."""
    return {
        f"{prefix}{name}": GroupReduction(value, empty, options, bool(prefix), has_identity)
        for prefix in ("", "nan")
    }


def _folds(name: str, *values: Any, **more: Any) -> dict[str, GroupReduction]:
    return _named(name, partial(_fold, monoid=name), *values, **more)


REDUCTIONS: Final[Mapping[str, GroupReduction]] = MappingProxyType(
    {
        "count": GroupReduction(_count, 0, has_identity=True),
        "any": GroupReduction(partial(_fold, monoid="any"), False, has_identity=True),
        "all": GroupReduction(partial(_fold, monoid="all"), True, has_identity=True),
        **_folds("sum", 0, ("dtype",), has_identity=True),
        **_folds("prod", 1, ("dtype",), has_identity=True),
        **_named("mean", _mean, None, ("dtype",), has_identity=True),
        **_folds("var", None, ("dtype", "ddof"), has_identity=True),
        **_folds("std", None, ("dtype", "ddof"), has_identity=True),
        **_folds("min"),
        **_folds("max"),
        **_named("argmin", partial(_best_place, monoid="min"), -1, has_identity=True),
        **_named("argmax", partial(_best_place, monoid="max"), -1, has_identity=True),
        **_named("first", _first),
        **_named("last", _last),
        **_named("median", medians, has_identity=True),
        **_named("quantile", quantiles, options=("q", "method"), has_identity=True),
    }
)
