"""Matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.array.array import Array
from dask_tapestry.array.convert import asarray
from dask_tapestry.array.dispatch import implements
from dask_tapestry.operators.matmul import matmul as matmul_tensors

__all__ = [
    "matmul",
]


@implements(np.matmul)
def matmul(x: Any, w: Any, /) -> Array:
    """Matrix product ``x @ w`` as `numpy.matmul`: (..., m, k) by (..., k, n); vectors are promoted.

    Values agree with NumPy's within rounding, not bit for bit: BLAS adds in an order that depends
    on the block's shape.

    Raises
    ------
    ShapeError
        If the contracted dimensions differ or an operand has none.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.matmul(dt.ones((2, 3)), dt.ones(3)).compute()
    array([3., 3.])
    """
    return Array(matmul_tensors(asarray(x).node, asarray(w).node))
