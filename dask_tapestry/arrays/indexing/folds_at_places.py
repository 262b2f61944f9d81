"""Folds of many values at places: of `ufunc.at` by a monoid, as folds of groups.

Values are folded in order by one task that reads all of them, as far as it matters which comes
first. Where it does not, or there are more than a task should read, each cell of the table is a
group: tables of parts of the values are folded, and then into the one that there was.
"""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.key_types import UserKey
from dask_tapestry.arrays.tuning import LEAST_AT_A_CELL, MOST_ORDERED_BYTES
from dask_tapestry.cells import Span
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.generators.arange import arange
from dask_tapestry.operators.indexing.take import take
from dask_tapestry.operators.reductions.group_fold import group_fold
from dask_tapestry.operators.reductions.monoids import FOLDS_OF_UFUNCS
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor
from dask_tapestry.teg.value_span import value_span

Places = tuple[Tensor, ...]
MONOIDS: Final = {**FOLDS_OF_UFUNCS, "subtract": "sum"}  # what is subtracted is summed first


def fold_many_at(x: Tensor, name: str, key: UserKey, values: Tensor) -> Tensor | None:
    """`x` with `values` folded into ``x[key]`` by a ufunc, whatever their order.

    Parameters
    ----------
    values
        Broadcast to what is indexed; of the dtype that the ufunc folds in.

    Returns
    -------
    Tensor or None
        None where the order of values matters: of a ufunc that is no monoid, of cells that are
        converted, and of few values. None, too, where indices are no integers, or known to be out
        of bounds, and of a table that is not small beside the values.
    """
    monoid, places = MONOIDS.get(name), _places(x, key)
    truths = monoid in ("any", "all")
    kinds = "b" if truths else "biuf"
    if monoid is None or places is None or x.type.dtype.kind not in kinds:
        return None
    shape = broadcast_shape([place.type.shape for place in places])
    counts, kept = x.type.shape[: len(places)], x.type.shape[len(places) :]
    value_bytes = prod((*shape, *kept)) * x.type.dtype.itemsize
    place_bytes = prod(shape) * sum(place.type.dtype.itemsize for place in places)
    is_few = value_bytes + place_bytes < MOST_ORDERED_BYTES
    if values.type.dtype != x.type.dtype or is_few or prod(shape) < LEAST_AT_A_CELL * prod(counts):
        return None
    codes = _numbers(places, counts, shape)
    cells = broadcast(values, (*shape, *kept))
    axes = tuple(range(len(shape)))
    dtype = None if monoid in ("min", "max") or truths else x.type.dtype
    table = group_fold(cells, codes, monoid, axes, prod(counts), dtype=dtype)
    table = permute(table, (len(kept), *range(len(kept))))
    return astype(elementwise(name, x, reshape(table, x.type.shape)), x.type.dtype)


def _places(x: Tensor, key: UserKey) -> Places | None:
    """The indices of the first axes, if they are integers that may be in bounds; else None."""
    items = key if isinstance(key, tuple) else (key,)
    if not items or len(items) > x.type.ndim:
        return None
    places = [_place(item, n) for item, n in zip(items, x.type.shape, strict=False)]
    known = tuple(place for place in places if place is not None)
    return known if len(known) == len(items) else None


def _place(item: object, extent: int) -> Tensor | None:
    """Indices that are integers, counted from the beginning of an axis, or looked up there."""
    if isinstance(item, np.ndarray) and item.dtype.kind in "iu" and item.size:
        place, span = constant(item), Span(int(item.min()), int(item.max()))
    elif isinstance(item, Array) and item.dtype.kind in "iu":
        found = value_span(item.node)
        assert found is not None  # of integers
        if found.is_within(Span(-extent, extent - 1)):
            place, span = item.node, found
        else:
            place, span = _looked_up(item.node, extent), Span(0, extent - 1)
    else:
        return None
    if not place.type.ndim or not span.is_within(Span(-extent, extent - 1)):
        return None
    place = astype(place, np.dtype(np.intp))
    if span.least >= 0:
        return place
    from_end = elementwise("add", place, extent)
    return where(elementwise("less", place, 0), from_end, place)


def _looked_up(place: Tensor, extent: int) -> Tensor:
    """Places counted from the beginning, which raise IndexError where they are out of bounds."""
    return take(arange(0, extent, 1, np.dtype(np.intp)), place, 0)


def _numbers(places: Places, counts: tuple[int, ...], shape: tuple[int, ...]) -> Tensor:
    """Numbers of the cells at places, in C order."""
    number = places[0]
    for place, count in zip(places[1:], counts[1:], strict=True):
        number = elementwise("add", elementwise("multiply", number, count), place)
    return broadcast(number, shape)
