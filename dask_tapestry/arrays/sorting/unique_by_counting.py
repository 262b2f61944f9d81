"""Unique cells by counting integers of few values: those whose count in a table is not zero.

A table has a count for each value of the dtype, or of fewer that a formula can have, as `x % 10`.
So cells are read once, in any order, and are neither sorted nor held.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.masks.boolean_mask import MaskSelector, deferred_selection
from dask_tapestry.arrays.tuning import CELLS_A_VALUE, MOST_COUNTED
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.indexing.take import take
from dask_tapestry.operators.lanes import PLACES
from dask_tapestry.operators.reductions.bincount import bincount
from dask_tapestry.operators.scans.scan import scan
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor
from dask_tapestry.teg.value_span import value_span

WORK: Final = np.dtype(np.int32)  # holds the places of all values in the table
MOST_PLACE: Final = int(np.iinfo(PLACES).max)  # values of tables are sums of places


@dataclass(frozen=True)
class UniqueByCounting:
    """The distinct cells of an array of integers that have few values, or of truth values.

    {Attributes}
        shape: Shape of the array.
        places: For each cell, as a vector, the place of its value in the table.
        numbers, occurrences: The table: all values there may be, and how often each occurs.
    """

    shape: tuple[int, ...]
    places: Tensor
    numbers: Tensor
    occurrences: Tensor

    @staticmethod
    def is_for(x: Array) -> bool:
        """Whether a table is worth it: told by shape, dtype and formula alone."""
        span = value_span(x.node)
        if span is None or span.most > MOST_PLACE:
            return False
        return span.extent <= MOST_COUNTED and x.size >= CELLS_A_VALUE * span.extent

    @classmethod
    def of(cls, x: Array) -> UniqueByCounting:
        """All distinct cells of `x`."""
        span = value_span(x.node)
        assert span is not None
        cells = reshape(x.node, (x.size,))
        wide = cells if x.dtype.itemsize >= WORK.itemsize else astype(cells, WORK)
        places = astype(elementwise("subtract", wide, span.least), WORK)
        numbers = elementwise("add", coordinates((span.extent,), 0), span.least)
        return cls(x.shape, places, astype(numbers, x.dtype), bincount(places, span.extent))

    @property
    def _mask(self) -> Tensor:
        return elementwise("not_equal", self.occurrences, 0)

    def _chosen(self, table: Tensor) -> Array:
        def make(pick: MaskSelector) -> Tensor:
            return pick(table)

        return deferred_selection(self._mask, make, (self.occurrences,), self.places)

    def values(self) -> Array:
        """The distinct cells, sorted."""
        return self._chosen(self.numbers)

    def counts(self) -> Array:
        """How often each occurs."""
        return self._chosen(self.occurrences)

    def inverse(self) -> Array:
        """For each cell of the array, the number of its value among the distinct ones."""
        number = elementwise("subtract", scan(astype(self._mask, PLACES), "add", 0), 1)
        return Array(reshape(take(number, self.places, 0), self.shape))
