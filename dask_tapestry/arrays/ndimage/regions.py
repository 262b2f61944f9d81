"""Labelled regions of an array, of which functions measure the cells."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.known_values import known_now
from dask_tapestry.arrays.grouping.groupby_reduce import groupby_reduce
from dask_tapestry.arrays.indexing.flat_index import unravel_index
from dask_tapestry.arrays.manipulation.stacking import stack
from dask_tapestry.arrays.ndimage.arguments import operand
from dask_tapestry.arrays.shape.broadcasting import broadcast_arrays, broadcast_to
from dask_tapestry.errors import ArgumentTypeError


class Regions(NamedTuple):
    """Cells, their labels, and which labels are measured.

    {Attributes}
        cells, labels: Of one shape.
        wanted: The labels, each once.
        places: For each region of the result, which of them it is; of its shape.
    """

    cells: Array
    labels: Array
    wanted: np.ndarray[Any, Any]
    places: np.ndarray[Any, Any]

    @classmethod
    def of(cls, function: str, x: ArrayLike, labels: ArrayLike | None, index: Any) -> Regions:
        """The regions that the arguments of a function name.

        {Raises}
            ArgumentTypeError: If the index is no numbers.
            DTypeError: If cells are no numbers, or the index is not known now.
            ShapeError: If cells and labels cannot be broadcast.
        """
        cells = operand(function, x, complex_too=True)
        if labels is None:  # SciPy does not look at the index then, either
            return cls(cells, broadcast_to(asarray(1), cells.shape), np.array([1]), np.array(0))
        cells, label_cells = broadcast_arrays(cells, asarray(labels))
        if index is None:
            return cls(cells, label_cells > 0, np.array([True]), np.array(0))
        numbers = _numbers(known_now(index, f"{function}: index"))
        if numbers is None:
            raise ArgumentTypeError(f"{function}: index must be labels, not {index!r}")
        wanted, places = np.unique(numbers, return_inverse=True)
        return cls(cells, label_cells, wanted, places.reshape(numbers.shape))

    @property
    def is_one(self) -> bool:
        """Whether one region is measured, rather than those of a list."""
        return not self.places.ndim

    def reduce(self, func: str, cells: Array | None = None, **options: Any) -> Array:
        """What `func` makes of each region's cells."""
        x = self.cells if cells is None else cells
        found, _ = groupby_reduce(x, self.labels, func=func, expected_groups=self.wanted, **options)
        chosen: Array = found[self.places]
        return chosen

    def extreme(self, func: str) -> Array:
        """The least or the greatest cell of each region, 0 of none."""
        return self.reduce(func, fill_value=0, dtype=self.cells.dtype)

    def positions(self, func: str) -> Array:
        """Where `func` finds a cell of each region, as a last axis."""
        shape = self.cells.shape
        found = self.reduce(func, fill_value=0)
        return stack(unravel_index(found, shape), axis=-1) if shape else found[..., None][..., :0]


def _numbers(values: Any) -> np.ndarray[Any, Any] | None:
    """Real numbers as an array; None for anything else."""
    try:
        found = np.asarray(values)
    except (TypeError, ValueError):  # lists of unequal lengths
        return None
    return found if found.dtype.kind in "biuf" else None
