"""Unique cells of arrays that turn out to have few values: each span of cells tells its own.

The first cells are looked at, then, if they have few values, all of them: cells are read once, in
any order, and are neither sorted nor sent. If there are too many values, cells are sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dynamic_shape import Deferred
from dask_tapestry.arrays.core.repeatable import are_repeatable
from dask_tapestry.arrays.sorting.unique_by_sorting import UniqueBySorting
from dask_tapestry.arrays.tuning import (
    FEWEST_CELLS,
    LEAST_SPAN,
    LONGEST_SPAN,
    SPANS,
    TRIED_CELLS,
)
from dask_tapestry.io.sources.numpy_source import constant
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.lanes import PLACES
from dask_tapestry.operators.reductions.few_values import WORDS, few_values
from dask_tapestry.operators.sorting.search import searchsorted
from dask_tapestry.operators.sorting.unordered_cells import in_order_of_chunks, run_of_chunks
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Node, Tensor

KINDS: Final = "biufmM"  # whose cells are equal if their bits are, but for zeros and NaNs
Cells = np.ndarray[Any, Any]


class Distinct(NamedTuple):
    """The distinct cells of an array, sorted, how often each occurs, and where it comes first."""

    values: Cells
    counts: Cells
    places: Cells


@dataclass(frozen=True)
class UniqueOfFew:
    """The distinct cells of an array that may have few values.

    {Attributes}
        equal_nan: Whether every NaN is the same.
        cells: All cells, as a vector.
        counted: The same in the order in which they are counted.
        by_sorting: The same, for an array with many values.
    """

    equal_nan: bool
    cells: Tensor
    counted: Tensor
    by_sorting: UniqueBySorting

    @staticmethod
    def is_for(x: Array) -> bool:
        """Whether it may be worth it: cells are many, short, and the same when read again."""
        told = x.dtype.kind in KINDS and x.dtype.itemsize in WORDS
        return told and x.size >= FEWEST_CELLS and are_repeatable([x.node])

    @classmethod
    def of(cls, x: Array, equal_nan: bool, places: bool = True) -> UniqueOfFew:
        """All distinct cells of `x`; without `places`, nobody asks where each comes first."""
        by_sorting = UniqueBySorting.of(x, equal_nan)
        cells = by_sorting.cells
        return cls(equal_nan, cells, cells if places else in_order_of_chunks(cells), by_sorting)

    def values(self) -> Array:
        """The distinct cells, sorted."""
        return self._told(lambda few: constant(few.values), self.by_sorting.values())

    def counts(self) -> Array:
        """How often each occurs."""
        return self._told(lambda few: constant(few.counts), self.by_sorting.counts())

    def index(self) -> Array:
        """Where each comes first in the flattened array."""
        return self._told(lambda few: constant(few.places), self.by_sorting.index())

    def inverse(self) -> Array:
        """For each cell of the array, the number of its value among the distinct ones."""

        def places(few: Distinct) -> Node:
            return reshape(searchsorted(self.cells, constant(few.values)), self.by_sorting.shape)

        return self._told(places, self.by_sorting.inverse())

    def _told(self, make: Callable[[Distinct], Node], otherwise: Array) -> Array:
        """What is made of the distinct cells if they are few."""
        if otherwise.deferred is None:
            return otherwise
        many = otherwise.deferred
        span = run_of_chunks(self.cells, -(-span_of(self.cells.type.size) // 2))

        def after_all(tables: Cells, kept: Sequence[Node]) -> Node | Deferred:  # noqa: ARG001
            few = merged(tables, self.cells.type.dtype, self.equal_nan)
            return many if few is None else make(few)

        def after_some(tables: Cells, kept: Sequence[Node]) -> Node | Deferred:  # noqa: ARG001
            if merged(tables, self.cells.type.dtype, self.equal_nan) is None:
                return many
            return self._counting(few_values(self.counted, span), after_all, many.bound)

        some = basic_slice(self.counted, (slice(0, TRIED_CELLS),))
        return Array(self._counting(few_values(some, TRIED_CELLS), after_some, many.bound))

    def _counting(self, tables: Tensor, build: Any, bound: Node) -> Deferred:
        return Deferred(tables, (), build, bound, self.cells)


def span_of(cells: int) -> int:
    """Cells that a table is made of.

    Examples
    --------
    >>> span_of(10**5), span_of(10**9), span_of(10**11)
    (262144, 3906250, 4194304)
    """
    return min(max(LEAST_SPAN, -(-cells // SPANS)), LONGEST_SPAN)


def merged(tables: Cells, dtype: np.dtype[Any], equal_nan: bool) -> Distinct | None:
    """The distinct cells of all spans; None if there are too many, or NaNs that are not the same.

    As sorted, they are one NaN, and a negative zero if there is one.
    """
    if (tables["count"] < 0).any():
        return None
    rows = tables[tables["count"] > 0]
    values = rows["value"].astype(f"u{dtype.itemsize}").view(dtype)
    lost = np.zeros(len(values), bool)
    if dtype.kind in "fmM":
        lost = np.isnan(values)
        values[lost] = np.array(np.nan if dtype.kind == "f" else "NaT", dtype)
    if lost.any() and not equal_nan:
        return None
    positive = ~np.signbit(values) if dtype.kind == "f" else lost
    order = np.lexsort((positive, values))
    rows, values = rows[order], values[order]
    unlike = (values[1:] != values[:-1]) & ~lost[order][:-1]  # the values after a NaN are NaNs
    starts = np.flatnonzero(np.concatenate([np.ones(min(1, len(values)), bool), unlike]))
    if len(starts) > tables.shape[-1]:
        return None
    counts = np.add.reduceat(rows["count"], starts) if len(starts) else rows["count"]
    firsts = np.minimum.reduceat(rows["first"], starts) if len(starts) else rows["first"]
    return Distinct(values[starts], counts.astype(PLACES), firsts.astype(PLACES))
