"""Order statistics and running totals of groups: their cells side by side, a row for each group.

All groups have one table, unless it held more than twice the cells: then those that are alike in
size, to a factor of two, have one. So there are no more tables than sizes have powers of two.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.creation.filled import full
from dask_tapestry.arrays.elementwise.predicates import isnull
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.grouping.group_cells import GroupCells
from dask_tapestry.arrays.indexing.take import take
from dask_tapestry.arrays.manipulation.joining import concatenate
from dask_tapestry.arrays.shape.transposing import moveaxis
from dask_tapestry.arrays.statistics.medians import nanmedian
from dask_tapestry.arrays.statistics.quantiles import nanquantile
from dask_tapestry.errors import DTypeError

Numbers = np.ndarray[Any, Any]


class Rows(NamedTuple):
    """Cells of groups of about one size.

    {Attributes}
        groups: The groups, a row each.
        places: Where the cells of each lie in the flattened codes, in their order.
        held: Which places of a row are cells; at the others is its last cell once more, so that a
            row reads no further than its cells.
    """

    groups: Numbers
    places: Numbers
    held: Numbers


def rows_of(codes: Numbers, count: int) -> list[Rows]:
    """The cells of groups by rows; of groups without cells nothing.

    Examples
    --------
    >>> [rows.places.tolist() for rows in rows_of(np.array([0, 2, 2, -1, 2]), 3)]
    [[[0, 0, 0], [1, 2, 4]]]
    """
    order = np.argsort(codes, kind="stable")
    order = order[np.searchsorted(codes[order], 0) : np.searchsorted(codes[order], count)]
    sizes = np.bincount(codes[order], minlength=count)
    starts = np.cumsum(sizes) - sizes
    powers = np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.intp)
    if np.count_nonzero(sizes) * sizes.max(initial=0) <= 2 * order.size:
        powers[:] = 0
    rows = []
    for power in np.unique(powers[sizes > 0]).tolist():
        groups = np.flatnonzero((powers == power) & (sizes > 0))
        width = np.arange(sizes[groups].max())
        held = width < sizes[groups, None]
        at = starts[groups, None] + np.minimum(width, sizes[groups, None] - 1)
        rows.append(Rows(groups, order[at], held))
    return rows


def quantiles(cells: GroupCells, q: Any, method: str = "linear") -> Array:
    """Quantiles of the cells of each group, with an axis of `q` first where that is a vector.

    Codes that are not known are computed first.

    {Raises} DTypeError: If the cells are neither real numbers nor times.
    """
    if cells.x.dtype.kind not in "biufmM":
        raise DTypeError(f"quantiles by group are not defined for dtype {cells.x.dtype}")
    return _of_rows(cells, partial(nanquantile, q=q, axis=-1, method=method), np.shape(q))


def medians(cells: GroupCells) -> Array:
    """Medians of the cells of each group; of complex ones those in lexicographic order."""
    if cells.x.dtype.kind == "c":
        return _of_rows(cells, partial(nanmedian, axis=-1), ())
    return quantiles(cells, 0.5)


def _of_rows(
    cells: GroupCells, statistic: Callable[[Array], Array], lead: tuple[int, ...]
) -> Array:
    """What a statistic that leaves out what is missing makes of each group's cells.

    {Parameters} lead: The axes that it puts first.
    """
    x = cells.x
    codes, wide = np.asarray(cells.codes).ravel(), _missing_in(x.dtype)
    null = np.array("NaT" if wide.kind in "mM" else np.nan, wide)
    whole_cells = prod(x.shape[axis] for axis in cells.whole)
    lanes = _lanes(cells)
    parts, groups = [], []
    for rows in rows_of(codes, cells.count) if whole_cells else []:
        shape = (*lanes.shape[:-2], *rows.places.shape)
        own = take(lanes, rows.places.ravel(), axis=lanes.ndim - 2).reshape((*shape, whole_cells))
        own = where(rows.held[..., None], own.astype(wide), null)
        parts.append(statistic(own.reshape((*shape[:-1], shape[-1] * whole_cells))))
        groups.append(rows.groups)
    empty = np.setdiff1d(np.arange(cells.count), np.concatenate([[], *groups]))
    if empty.size or not parts:
        kept_shape = [x.shape[axis] for axis in cells.kept_axes]
        parts.append(full((*lead, *kept_shape, empty.size), null, wide))
        groups.append(empty)
    value = _joined(parts, np.argsort(np.concatenate(groups)))
    if not cells.skipna and x.dtype.kind in "fcmM":
        value = where(cells.with_cells(isnull(x)).fold("any"), null, value)
    return value


def running(cells: GroupCells, scan: Callable[..., Array], cell_numbers: Numbers) -> Array:
    """Running totals of the cells of each group, at the cells that are wanted.

    {Parameters}
        cells: Of one axis, whose codes are known.
        scan: Such as `cumsum`; called with an array and its axis.
        cell_numbers: Places along the axis, of cells that are in groups.
    """
    (axis,), lanes = cells.axes, _lanes(cells)[..., 0]
    codes, totals = np.asarray(cells.codes), []
    positions, first = np.zeros(codes.size, np.intp), 0
    for rows in rows_of(codes, cells.count):
        shape = (*lanes.shape[:-1], *rows.places.shape)
        total = scan(take(lanes, rows.places.ravel(), axis=-1).reshape(shape), axis=len(shape) - 1)
        totals.append(total.reshape((*shape[:-2], rows.places.size)))
        positions[rows.places[rows.held]] = first + np.flatnonzero(rows.held)
        first += rows.places.size
    return moveaxis(_joined(totals, positions[cell_numbers]), -1, axis)


def _lanes(cells: GroupCells) -> Array:
    """The cells, shaped (kept..., numbered by the codes, the whole axes)."""
    x = cells.x
    sides = [prod(x.shape[axis] for axis in axes) for axes in (cells.axes, cells.whole)]
    kept = [x.shape[axis] for axis in cells.kept_axes]
    return x.transpose([*cells.kept_axes, *cells.axes, *cells.whole]).reshape((*kept, *sides))


def _joined(parts: list[Array], order: Numbers) -> Array:
    """Parts joined along the last axis, of which cells are taken in some order."""
    whole = parts[0] if len(parts) == 1 else concatenate(parts, axis=parts[0].ndim - 1)
    if np.array_equal(order, np.arange(whole.shape[-1])):
        return whole
    return take(whole, order, axis=whole.ndim - 1)


def _missing_in(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of cells some of which may be missing."""
    return dtype if dtype.kind in "fcmM" else np.dtype(np.float64)
