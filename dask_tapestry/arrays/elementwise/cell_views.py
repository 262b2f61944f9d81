"""``x.view(dtype)``: the bytes of the cells as cells of another dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from dask_tapestry.amounts import is_one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dtypes import as_dtype
from dask_tapestry.arrays.core.parts import part
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.cells.cell_bytes import view_cells


def view(x: Array, dtype: DTypeLike | type | None = None, order: str = "C") -> Array:
    """Return the bytes of the cells as cells of another dtype.

    Cells are in this machine's byte order before and after. The result is a value: assigning to it
    leaves the array as it is, and is told to be lost where nobody reads the result.

    Parameters
    ----------
    dtype
        Of the result; None for the array as it is. Where its cells are larger or smaller, the last
        axis has fewer or more of them.
    order
        ``"C"``: Dask's ``"F"``, for which the first axis changes, is ``x.T.view(dtype).T``.

    Returns
    -------
    Array
        Of `dtype` in this machine's byte order.

    Raises
    ------
    ShapeError
        If cells of the last axis do not make whole cells of `dtype`.
    DTypeError
        If `dtype` has Python objects, or more than 64 cells would become one.
    ArgumentError
        For another order.

    See Also
    --------
    astype, numpy.ndarray.view
    """
    if not is_one_of(order, ("C", "F")):
        raise ArgumentError(f"order must be 'C' or 'F', not {order!r}")
    if order == "F":
        turned: Array = view(x.T, dtype).T
        return turned
    if dtype is None or dtype is Array:
        return part(x.deferred or x.node)
    as_dtype(dtype)
    asked: np.dtype[Any] = np.dtype(dtype)
    if not asked.itemsize and asked.kind == "V":  # NumPy's: as wide as the cells are
        asked = np.dtype((np.void, x.dtype.itemsize))
    return part(view_cells(x.node, asked))
