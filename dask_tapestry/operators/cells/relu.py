"""Relu: negative cells become zero."""

from __future__ import annotations

from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.teg import Tensor


def relu(x: Tensor) -> Tensor:
    """Return ``maximum(x, 0)``; NaN stays NaN.

    Source: Tapestry whitepaper, "Block Operator Expressions": ``where(x > 0, x, 0)``.
    """
    return elementwise("maximum", x, x.type.dtype.type(0))
