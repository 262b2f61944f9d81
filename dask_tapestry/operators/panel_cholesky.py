"""The triangle of a positive definite matrix larger than a worker, by halves."""

from __future__ import annotations

import numpy as np

from dask_tapestry.operators.triangle import (
    Triangle,
    adjoint,
    columns_of,
    half_of,
    minus_product,
    rows_of,
    solved,
)
from dask_tapestry.operators.whole_matrix import call_on_matrices
from dask_tapestry.teg import Tensor


def cholesky_by_panels(x: Tensor, width: int, upper: bool = False) -> Tensor:
    """The triangle of which the product with its adjoint is `x`; as `numpy.linalg.cholesky`."""
    lower = _factored(adjoint(x) if upper else x, width).matrix(lower=True)
    return adjoint(lower) if upper else lower


def _factored(x: Tensor, width: int) -> Triangle:
    """The lower triangle; no cells above the diagonal are looked at, but in blocks along it."""
    half = half_of(x.type.shape[0], width)
    if not half:
        outputs, order = {"mm": x.type.dtype}, ("mmm", 1 / 3)
        (made,) = call_on_matrices(np.linalg.cholesky, [(x, "mm")], outputs, order)
        return Triangle.whole(made)
    above, below = rows_of(x, None, half), rows_of(x, half, None)
    first = _factored(columns_of(above, None, half), width)
    between = adjoint(solved(first, adjoint(columns_of(below, None, half)), lower=True))
    rest = minus_product(columns_of(below, half, None), between, adjoint(between))
    return Triangle.joined(first, between, _factored(rest, width))
