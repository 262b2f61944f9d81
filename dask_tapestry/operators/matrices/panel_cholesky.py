"""The triangle of a positive definite matrix larger than a worker, in panels of columns.

No pivots are sought, so a panel need not be whole: it is cut along rows, and the matrix into tiles.
As in LAPACK a panel takes its place, so the matrix is cut alike for all panels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.operators.matrices.panels import (
    adjoint,
    columns_of,
    numbers_from,
    panels_of,
    rows_of,
    stacked,
    zeros,
)
from dask_tapestry.operators.matrices.whole_matrix import call_on_matrices
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.cpu.blocks.less_product import subtract_product
from dask_tapestry_kernels.cpu.blocks.triangles import solve_triangle


def cholesky_by_panels(x: Tensor, width: int, upper: bool = False) -> Tensor:
    """The triangle of which the product with its adjoint is `x`; as `numpy.linalg.cholesky`.

    No cells of the other half are looked at.
    """
    side, lower = x.type.shape[0], adjoint(x) if upper else x
    for run in panels_of(side, width):
        lower = _applied(_panel(lower, run), run, lower)
    return adjoint(lower) if upper else lower


def _panel(x: Tensor, run: slice) -> Tensor:
    """Columns of the triangle, zero above the diagonal."""
    columns = columns_of(x, run.start, run.stop)
    corner = _corner(rows_of(columns, run.start, run.stop))
    above = zeros((run.start, run.stop - run.start), x.type.dtype)
    return stacked([above, corner, _divided(corner, rows_of(columns, run.stop, None))])


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


def _applied(panel: Tensor, run: slice, x: Tensor) -> Tensor:
    """The matrix with a panel in its place, and without its product with its adjoint behind it."""
    numbers = numbers_from(run.start, x.type.shape[0])
    parts = [(numbers, "m"), (numbers, "k"), (panel, "mj"), (panel, "kj"), (x, "mk")]
    outputs, flops = {"mk": x.type.dtype}, ("mkj", 1 / 3)
    (made,) = call_on_matrices(_tile, parts, outputs, flops, cut="mk", copies=0)
    return made


def _tile(rows: Any, columns: Any, left: Any, right: Any, block: Any) -> Any:
    """A tile of some rows and columns, whose numbers count from the panel's first.

    Above the diagonal it is not looked at.
    """
    own, behind = np.searchsorted(columns, (0, left.shape[1]))
    first = np.searchsorted(rows, columns[behind]) if behind < len(columns) else len(rows)
    if own == behind and first == len(rows):
        return block
    made = np.array(block)
    made[:, own:behind] = left[:, columns[own:behind]]
    subtract_product(made[first:, behind:], left[first:], right[behind:].conj().T)
    return made
