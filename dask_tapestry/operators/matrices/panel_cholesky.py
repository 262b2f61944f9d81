"""Cholesky of matrices larger than a worker: the triangle, in panels of columns.

No pivots are sought, so a panel need not be whole: it is cut along rows, and the matrix into tiles.
As in LAPACK a panel takes its place, so the matrix is cut alike for all panels.
"""

from __future__ import annotations

from dask_tapestry.operators.matrices.panel_step import panel_step
from dask_tapestry.operators.matrices.panels import (
    adjoint,
    columns_of,
    numbers_from,
    panels_of,
    rows_of,
    stacked,
    zeros,
)
from dask_tapestry.teg import Tensor


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
    made, work = ("mm", x.type.dtype), ("mmm", 1 / 3)
    return panel_step("cholesky", [(x, "mm")], made, work, upper=False)


def _divided(corner: Tensor, below: Tensor) -> Tensor:
    """``below @ inv(corner).H``."""
    parts, made = [(corner, "nn"), (below, "mn")], ("mn", below.type.dtype)
    return panel_step("divided", parts, made, ("nnm", 1.0), cut="m")


def _applied(panel: Tensor, run: slice, x: Tensor) -> Tensor:
    """The matrix with a panel in its place, and without its product with its adjoint behind it."""
    numbers = numbers_from(run.start, x.type.shape[0])
    parts = [(numbers, "m"), (numbers, "k"), (panel, "mj"), (panel, "kj"), (x, "mk")]
    made = "mk", x.type.dtype
    return panel_step("choleskytile", parts, made, ("mkj", 1 / 3), cut="mk", taken=0)
