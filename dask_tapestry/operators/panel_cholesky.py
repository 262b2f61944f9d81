"""The triangle of a positive definite matrix larger than a worker, in panels of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.operators.panels import (
    adjoint,
    columns_of,
    less_product,
    panels_of,
    rows_of,
    side_by_side,
    stacked,
    zeros,
)
from dask_tapestry.operators.whole_matrix import call_on_matrices
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.cpu.blocks.triangles import solve_triangle


def cholesky_by_panels(x: Tensor, width: int, upper: bool = False) -> Tensor:
    """The triangle of which the product with its adjoint is `x`; as `numpy.linalg.cholesky`.

    No cells of the other half are looked at.
    """
    side, rest, made = x.type.shape[0], adjoint(x) if upper else x, []
    for columns in panels_of(side, width):
        count = columns.stop - columns.start
        corner = _corner(columns_of(rows_of(rest, None, count), None, count))
        below = _divided(corner, columns_of(rows_of(rest, count, None), None, count))
        made.append(stacked([zeros((columns.start, count), x.type.dtype), corner, below]))
        rest = columns_of(rows_of(rest, count, None), count, None)
        if rest.type.size:
            rest = less_product(rest, below, adjoint(below))
    lower = side_by_side(made)
    return adjoint(lower) if upper else lower


def _corner(x: Tensor) -> Tensor:
    outputs, order = {"mm": x.type.dtype}, ("mmm", 1 / 3)
    (made,) = call_on_matrices(np.linalg.cholesky, [(x, "mm")], outputs, order)
    return made


def _divided(corner: Tensor, below: Tensor) -> Tensor:
    """``below @ inv(corner).H``."""
    parts, outputs = [(corner, "nn"), (below, "mn")], {"mn": below.type.dtype}
    (made,) = call_on_matrices(_solved_from_right, parts, outputs, ("nnm", 1.0), cut="m")
    return made


def _solved_from_right(corner: Any, below: Any) -> Any:
    return solve_triangle(corner, below.conj().T, lower=True).conj().T
