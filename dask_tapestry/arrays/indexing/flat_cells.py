"""``x.flat``: the cells of an array in a row, read and written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.creation.ranges import arange
from dask_tapestry.arrays.indexing.getitem import getitem
from dask_tapestry.arrays.indexing.written_cells import put
from dask_tapestry.errors import ArgumentError
from dask_tapestry.late_dataclass import dataclass


@dataclass(frozen=True)
class FlatCells:
    """What ``x.flat`` is: keys are those of the flattened array, and writes change `x`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.zeros((2, 3))
    >>> x.flat[1::2] = [7, 8]
    >>> x.compute()
    array([[0., 7., 0.],
           [8., 0., 7.]])

    Attributes
    ----------
    base
        The array.
    """

    base: Array

    def __len__(self) -> int:
        return self.base.size

    def __iter__(self) -> Iterator[Any]:
        return iter(self.base.ravel())

    def __getitem__(self, key: Any) -> Array:
        return self.base.ravel()[key]

    def __setitem__(self, key: Any, values: ArrayLike) -> None:
        places = getitem(arange(self.base.size), key)
        if not places.ndim and np.ndim(values):
            raise ArgumentError("Error setting single item of array.")
        if places.size:
            put(self.base, places, values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self.base.ravel(), dtype)

    def copy(self) -> Array:
        """Return the cells in a row, as `ravel` does."""
        return self.base.ravel()


def assign_flat(x: Array, values: ArrayLike) -> None:
    """Write all cells of `x` in a row; fewer values are repeated."""
    FlatCells(asarray(x))[:] = values
