"""Cells sorted as complex numbers: `sort_complex`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.sorting.sort import sort

__all__ = ["sort_complex"]


@implements(np.sort_complex)
def sort_complex(a: ArrayLike) -> Array:
    """Return the cells along the last axis in order, as complex numbers, as `numpy.sort_complex`.

    {Parameters} {a.array}
    {Returns} Array: Of the shape of `a`; complex64 of integers of one or two bytes, complex128 of
        other cells that are not complex.
    {See Also} sort
    {Examples}
    >>> dt.sort_complex([3, 1 - 1j, 1]).compute()
    array([1.-1.j, 1.+0.j, 3.+0.j])
    """
    cells = sort(asarray(a))
    if cells.dtype.kind == "c":
        return cells
    single = cells.dtype.char in "bhBH"
    return cells.astype(np.complex64 if single else np.result_type(cells.dtype, np.complex128))
