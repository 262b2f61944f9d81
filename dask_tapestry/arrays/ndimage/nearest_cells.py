"""The nearest zeros of an array's cells, and what is made of their coordinates."""

from __future__ import annotations

from functools import reduce
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.elementwise import abs, add, maximum, sqrt, square, where
from dask_tapestry.arrays.manipulation.stacking import stack
from dask_tapestry.operators.images.nearest_sites import nearest_sites
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.parameters.metrics import Metric

INDEX = np.dtype(np.int32)


class NearestCells(NamedTuple):
    """Where the nearest zero of each cell lies.

    {Attributes}
        places: In C order; -1 if there is none.
        step: From one cell to the next along each axis.
        metric: What is near.
        missing: Coordinates if there is none; None for the cell's own.
    """

    places: Array
    step: tuple[float, ...]
    metric: Metric
    missing: tuple[int, ...] | None

    @classmethod
    def of(
        cls,
        x: Tensor,
        step: tuple[float, ...],
        metric: Metric,
        backwards: bool = False,
        own: bool = False,
    ) -> NearestCells:
        """The nearest zeros of a tensor of bools, as SciPy's functions find them."""
        ndim = x.type.ndim
        missing = (0,) * ndim if backwards else (-1, *(0,) * (ndim - 1))
        places = Array(nearest_sites(x, step, metric, backwards))
        return cls(places, step, metric, None if own else missing)

    def coordinates(self) -> list[Array]:
        """Along each axis."""
        shape, by_axis = self.places.shape, []
        for axis, extent in enumerate(shape):
            behind = prod(shape[axis + 1 :])
            line = self.places if behind == 1 else self.places // behind
            line = line if not axis else line % extent
            other = self.own(axis) if self.missing is None else self.missing[axis]
            by_axis.append(where(self.places < 0, other, line).astype(INDEX))
        return by_axis

    def own(self, axis: int) -> Array:
        """The coordinate of each cell along an axis."""
        shape = self.places.shape
        line = np.arange(shape[axis], dtype=INDEX)
        return asarray(line.reshape(-1, *(1,) * (len(shape) - axis - 1)))

    def indices(self) -> Array:
        """Coordinates along a first axis."""
        found = self.coordinates()
        return stack(found) if found else asarray(np.empty(0, INDEX))

    def euclidean(self, most: float | None = None) -> Array:
        """Distances, of which the squares are added in the order of the axes; `most` if none."""
        squares = []
        for axis, line in enumerate(self.coordinates()):
            away = (line - self.own(axis)).astype(np.float64)
            squares.append(square(away if self.step[axis] == 1 else away * self.step[axis]))
        if not squares:
            return where(self.places < 0, most or 0.0, 0.0)
        total = sqrt(reduce(add, squares))
        return total if most is None else where(self.places < 0, most, total)

    def steps(self, dtype: np.dtype[Any], most: int) -> Array:
        """How many steps it takes; `most` if there is none."""
        away = [abs(line - self.own(axis)) for axis, line in enumerate(self.coordinates())]
        together = add if self.metric == "taxicab" else maximum
        total = reduce(together, away) if away else self.places * 0
        return where(self.places < 0, dtype.type(most), total.astype(dtype))
