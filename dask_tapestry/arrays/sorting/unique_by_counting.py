"""Unique cells by counting small integers: those whose count in a table is not zero.

A table has a count for each value of the dtype, so cells are read once, in any order, and are
neither sorted nor held.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.masks.boolean_mask import MaskSelector, deferred_selection
from dask_tapestry.arrays.tuning import CELLS_A_VALUE, COUNTED_ITEM_BYTES
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.indexing.take import take
from dask_tapestry.operators.lanes import PLACES
from dask_tapestry.operators.reductions.bincount import bincount
from dask_tapestry.operators.scans.scan import scan
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor

WORK: Final = np.dtype(np.int32)  # holds the places of all values in the table


@dataclass(frozen=True)
class UniqueByCounting:
    """The distinct cells of an array of small integers, or of truth values.

    {Attributes}
        shape: Shape of the array.
        places: For each cell, as a vector, the place of its value in the table.
        numbers, occurrences: The table: all values of the dtype, and how often each occurs.
    """

    shape: tuple[int, ...]
    places: Tensor
    numbers: Tensor
    occurrences: Tensor

    @staticmethod
    def is_for(x: Array) -> bool:
        """Whether a table is worth it: told by shape and dtype alone."""
        kind = x.dtype
        if kind.kind not in "biu" or kind.itemsize > COUNTED_ITEM_BYTES:
            return False
        return x.size >= CELLS_A_VALUE << 8 * kind.itemsize

    @classmethod
    def of(cls, x: Array) -> UniqueByCounting:
        """All distinct cells of `x`."""
        least, count = (0, 2) if x.dtype.kind == "b" else _range(x.dtype)
        cells = astype(reshape(x.node, (x.size,)), WORK)
        places = elementwise("subtract", cells, least)
        numbers = elementwise("add", coordinates((count,), 0), least)
        return cls(x.shape, places, astype(numbers, x.dtype), bincount(places, count))

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


def _range(dtype: np.dtype[np.integer]) -> tuple[int, int]:
    """The least value of a dtype, and how many there are."""
    limits = np.iinfo(dtype)
    return int(limits.min), int(limits.max) - int(limits.min) + 1
