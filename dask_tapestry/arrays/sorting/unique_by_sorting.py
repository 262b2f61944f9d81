"""Unique cells, or slices, by sorting, with a mask of the first of each kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.masks.boolean_mask import MaskSelector, deferred_selection
from dask_tapestry.arrays.tuning import LONG_TABLE_BYTES
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.gather import gather
from dask_tapestry.operators.indexing.take import take
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.lanes import PLACES
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.scans.scan import scan
from dask_tapestry.operators.sorting.joined_keys import joined_rows
from dask_tapestry.operators.sorting.search import is_in, searchsorted
from dask_tapestry.operators.sorting.sort import argsort, sort
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Tensor


@dataclass(frozen=True)
class UniqueBySorting:
    """The distinct cells of an array.

    {Attributes}
        shape: Shape of the array.
        equal_nan: Whether every NaN is the same.
        cells, ordered: All cells as a vector, as they come and sorted.
        mask: Which of the sorted cells are chosen: the first of each kind.
    """

    shape: tuple[int, ...]
    equal_nan: bool
    cells: Tensor
    ordered: Tensor
    mask: Tensor

    @classmethod
    def of(cls, x: Array, equal_nan: bool) -> UniqueBySorting:
        """All distinct cells of `x`; with `equal_nan`, every NaN is the same."""
        cells = reshape(x.node, (x.size,))
        ordered = sort(cells, 0)
        return cls(x.shape, equal_nan, cells, ordered, _firsts(ordered, equal_nan))

    def shared_with(
        self, others: UniqueBySorting, dtype: np.dtype[Any] | None = None, invert: bool = False
    ) -> UniqueBySorting:
        """The cells that `others` holds, or does not with `invert`, compared in `dtype`."""
        work = dtype or self.ordered.type.dtype
        table = others.ordered
        if table.type.dtype != work:
            table = sort(astype(others.cells, work), 0)
        held = is_in(astype(self.ordered, work), table, invert)
        return replace(self, mask=elementwise("logical_and", self.mask, held))

    def _counted(self, make: Callable[[MaskSelector], Tensor]) -> Array:
        return deferred_selection(self.mask, make, keep=(self.ordered,))

    def values(self) -> Array:
        """The chosen cells."""
        return self._counted(lambda pick: pick(self.ordered))

    def index(self) -> Array:
        """Where each chosen cell comes first in the flattened array."""
        order = argsort(self.cells, 0)
        return self._counted(lambda pick: pick(order))

    def counts(self) -> Array:
        """How often each cell occurs."""
        return self._counted(lambda pick: _spans(pick, self.mask.type.size))

    def inverse(self) -> Array:
        """For each cell of the array, the number of its value among the distinct ones."""
        kind = self.cells.type.dtype.kind
        if kind == "c" or (not self.equal_nan and kind in "fmM"):
            # complex numbers with a NaN are one kind, but do not compare as equal to its first
            return Array(reshape(_group_numbers(self.mask, argsort(self.cells, 0)), self.shape))

        def make(pick: MaskSelector) -> Tensor:
            return reshape(searchsorted(self.cells, pick(self.ordered)), self.shape)

        return self._counted(make)


class UniqueSlices:
    """The distinct slices of an array along an axis, compared as rows of a matrix."""

    def __init__(self, x: Array, axis: int) -> None:
        self.axis = axis
        self.order = [axis, *(dim for dim in range(x.ndim) if dim != axis)]
        moved = permute(x.node, self.order)
        self.outer = moved.type.shape[1:]
        self.rows = reshape(moved, (moved.type.shape[0], prod(self.outer)))
        self.places = argsort(joined_rows(self.rows), 0)
        self.ordered = _rows_at(self.rows, self.places)
        n = self.ordered.type.shape[0]
        unlike = elementwise(
            "not_equal",
            basic_slice(self.ordered, (slice(1, None),)),
            basic_slice(self.ordered, (slice(0, max(n - 1, 0)),)),
        )
        self.mask = _with_first(reduce(unlike, "any", 1), n)

    def _counted(self, make: Callable[[MaskSelector], Tensor]) -> Array:
        return deferred_selection(self.mask, make, keep=(self.ordered,))

    def values(self) -> Array:
        """The distinct slices."""
        back = [self.order.index(dim) for dim in range(len(self.order))]

        def make(pick: MaskSelector) -> Tensor:
            rows = pick(self.ordered)
            return permute(reshape(rows, (rows.type.shape[0], *self.outer)), back)

        return self._counted(make)

    def index(self) -> Array:
        """Where each slice comes first along the axis."""
        return self._counted(lambda pick: pick(self.places))

    def counts(self) -> Array:
        """How often each slice occurs."""
        return self._counted(lambda pick: _spans(pick, self.mask.type.size))

    def inverse(self) -> Array:
        """For each slice, its number among the distinct ones."""
        return Array(_group_numbers(self.mask, self.places))


def _firsts(ordered: Tensor, equal_nan: bool) -> Tensor:
    """A mask of the cells of a sorted vector that differ from the one before."""
    n = ordered.type.size
    here = basic_slice(ordered, (slice(1, None),))
    before = basic_slice(ordered, (slice(0, max(n - 1, 0)),))
    unlike = elementwise("not_equal", here, before)
    if equal_nan and ordered.type.dtype.kind in "fcmM":
        known = elementwise("logical_not", elementwise("isnan", before))
        unlike = elementwise("logical_and", unlike, known)  # after a NaN, all are
    return _with_first(unlike, n)


def _with_first(unlike: Tensor, n: int) -> Tensor:
    """The mask `unlike` with a true cell in front; `n` cells in all, so none of none."""
    return concat([asarray(np.ones(min(n, 1), bool)).node, unlike])


def _spans(pick: MaskSelector, n: int) -> Tensor:
    """The distances from each picked cell to the next, of `n` cells in all."""
    places = pick(coordinates((n,), 0))
    following = basic_slice(places, (slice(1, None),))
    end = asarray(np.full(min(places.type.size, 1), n, places.type.dtype)).node
    return elementwise("subtract", concat([following, end]), places)


def _group_numbers(mask: Tensor, order: Tensor) -> Tensor:
    """For each cell, how many cells before it in order are the first of their kind, less one."""
    count = scan(astype(mask, PLACES), "add", 0)
    return _rows_at(elementwise("subtract", count, 1), argsort(order, 0))


def _rows_at(table: Tensor, rows: Tensor) -> Tensor:
    """Slices of a table along its first axis; those of a long one may be sent for."""
    if table.type.nbytes <= LONG_TABLE_BYTES:
        return take(table, rows, 0)
    kept = tuple(range(1, table.type.ndim))
    numbers = DimensionNumbers(kept, (0,), (), (), (0,), 1)
    return gather(table, unsqueeze(rows, (1,)), numbers, (1, *table.type.shape[1:]))
