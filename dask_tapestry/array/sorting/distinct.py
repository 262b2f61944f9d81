"""The different cells, or rows, of an array: all in order, and which is the first of its kind."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.boolean_mask import Pick, counted
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.statistics.scans import cumsum
from dask_tapestry.operators.concat import concat
from dask_tapestry.operators.coordinates import coordinates
from dask_tapestry.operators.elementwise import astype, elementwise
from dask_tapestry.operators.permute import permute
from dask_tapestry.operators.reduce import reduce
from dask_tapestry.operators.reshape import reshape
from dask_tapestry.operators.row_order import RowOrder
from dask_tapestry.operators.search import is_in, searchsorted
from dask_tapestry.operators.slice import basic_slice
from dask_tapestry.operators.sort import PLACES, argsort, sort
from dask_tapestry.operators.take import take
from dask_tapestry.teg import Tensor, apply


class Distinct:
    """The different cells of an array.

    Attributes
    ----------
    cells, ordered
        All cells as a vector, as they come and in order.
    mask
        Which of the cells in order is chosen: the first of its kind.
    """

    def __init__(self, x: Array, equal_nan: bool) -> None:
        self.shape, self.equal_nan = x.shape, equal_nan
        self.cells = reshape(x.node, (x.size,))
        self.ordered = sort(self.cells, 0)
        self.first = self.mask = _firsts(self.ordered, equal_nan)

    def among(
        self, others: Distinct, dtype: np.dtype[Any] | None = None, invert: bool = False
    ) -> Distinct:
        """Of the different cells those that `others` holds, or does not, compared in `dtype`."""
        work = dtype or self.ordered.type.dtype
        table = others.ordered
        if table.type.dtype != work:
            table = sort(astype(others.cells, work), 0)
        chosen = object.__new__(Distinct)
        chosen.__dict__.update(self.__dict__)
        held = is_in(astype(self.ordered, work), table, invert)
        chosen.mask = elementwise("logical_and", self.mask, held)
        return chosen

    def _counted(self, make: Any) -> Array:
        return counted(self.mask, make, keep=(self.ordered,), owner=self.cells)

    def values(self) -> Array:
        """The different cells."""
        return self._counted(lambda pick: pick(self.ordered))

    def index(self) -> Array:
        """Where each is first."""
        order = argsort(self.cells, 0)
        return self._counted(lambda pick: pick(order))

    def counts(self) -> Array:
        """How often each is there."""
        return self._counted(lambda pick: _spans(pick, self.mask.type.size))

    def inverse(self) -> Array:
        """Which of them each cell is."""
        if not self.equal_nan and self.cells.type.dtype.kind in "fcmM":
            return Array(reshape(_numbers(self.mask, argsort(self.cells, 0)), self.shape))

        def make(pick: Pick) -> Tensor:
            return reshape(searchsorted(self.cells, pick(self.ordered)), self.shape)

        return self._counted(make)


class DistinctRows:
    """The different slices of an array along an axis, as rows of a matrix."""

    def __init__(self, x: Array, axis: int) -> None:
        self.axis = axis
        self.order = [axis, *(dim for dim in range(x.ndim) if dim != axis)]
        moved = permute(x.node, self.order)
        self.outer = moved.type.shape[1:]
        self.rows = reshape(moved, (moved.type.shape[0], prod(self.outer)))
        self.places = apply(RowOrder(), self.rows)
        self.ordered = take(self.rows, self.places, 0)
        n = self.ordered.type.shape[0]
        unlike = elementwise(
            "not_equal",
            basic_slice(self.ordered, (slice(1, None),)),
            basic_slice(self.ordered, (slice(0, max(n - 1, 0)),)),
        )
        self.mask = _with_first(reduce(unlike, "any", 1), n)

    def _counted(self, make: Any) -> Array:
        return counted(self.mask, make, keep=(self.ordered,), owner=self.rows)

    def values(self) -> Array:
        """The different slices."""
        back = [self.order.index(dim) for dim in range(len(self.order))]

        def make(pick: Pick) -> Tensor:
            rows = pick(self.ordered)
            return permute(reshape(rows, (rows.type.shape[0], *self.outer)), back)

        return self._counted(make)

    def index(self) -> Array:
        """Where each is first."""
        return self._counted(lambda pick: pick(self.places))

    def counts(self) -> Array:
        """How often each is there."""
        return self._counted(lambda pick: _spans(pick, self.mask.type.size))

    def inverse(self) -> Array:
        """Which of them each slice is."""
        return Array(_numbers(self.mask, self.places))


def _firsts(ordered: Tensor, equal_nan: bool) -> Tensor:
    """Whether each cell of a vector in order differs from the one before."""
    n = ordered.type.size
    here = basic_slice(ordered, (slice(1, None),))
    before = basic_slice(ordered, (slice(0, max(n - 1, 0)),))
    unlike = elementwise("not_equal", here, before)
    if equal_nan and ordered.type.dtype.kind in "fcmM":
        known = elementwise("logical_not", elementwise("isnan", before))
        unlike = elementwise("logical_and", unlike, known)  # NaN comes last: all after it are NaN
    return _with_first(unlike, n)


def _with_first(unlike: Tensor, n: int) -> Tensor:
    """A mask of `n` cells whose first is true."""
    return concat([asarray(np.ones(min(n, 1), bool)).node, unlike])


def _spans(pick: Pick, n: int) -> Tensor:
    """Cells from each picked one to the next, of `n` in all."""
    places = pick(coordinates((n,), 0))
    following = basic_slice(places, (slice(1, None),))
    end = asarray(np.full(min(places.type.size, 1), n, places.type.dtype)).node
    return elementwise("subtract", concat([following, end]), places)


def _numbers(mask: Tensor, order: Tensor) -> Tensor:
    """For each cell, how many are first of their kind before it in order, itself not counted."""
    count = cumsum(Array(astype(mask, PLACES)), axis=0)
    return take((count - 1).node, argsort(order, 0), 0)
