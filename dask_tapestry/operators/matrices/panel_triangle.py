"""Equations with triangles larger than a worker, in panels of columns."""

from __future__ import annotations

import numpy as np

from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.matrices.panel_step import panel_step
from dask_tapestry.operators.matrices.panels import (
    columns_of,
    numbers_from,
    panels_of,
    rows_of,
    stacked,
    zeros,
)
from dask_tapestry.teg import Tensor


def solve_triangle_by_panels(a: Tensor, b: Tensor, width: int, lower: bool) -> Tensor:
    """The x with ``a @ x = b`` for a triangle `a`, of which the other half is not looked at.

    What is known takes the place of the right side, as in LAPACK.
    """
    x = astype(b, np.result_type(a.type.dtype, b.type.dtype))
    runs = panels_of(a.type.shape[0], width)
    for run in runs if lower else reversed(runs):
        solved = _solved(_square(a, run), rows_of(x, run.start, run.stop), lower)
        x = _with_solved_columns(x, _other_columns(a, run, lower), solved, run, lower)
    return x


def _square(a: Tensor, run: slice) -> Tensor:
    return columns_of(rows_of(a, run.start, run.stop), run.start, run.stop)


def _other_columns(a: Tensor, run: slice, lower: bool) -> Tensor:
    """Columns of the triangle below or above its diagonal's square, zero elsewhere."""
    columns, rows, dtype = columns_of(a, run.start, run.stop), a.type.shape[0], a.type.dtype
    count = run.stop - run.start
    if lower:
        return stacked([zeros((run.stop, count), dtype), rows_of(columns, run.stop, None)])
    return stacked([rows_of(columns, None, run.start), zeros((rows - run.start, count), dtype)])


def _solved(block: Tensor, right: Tensor, lower: bool) -> Tensor:
    parts, made = [(block, "mm"), (right, "mk")], ("mk", right.type.dtype)
    return panel_step("solvetriangle", parts, made, ("mmk", 1.0), cut="k", lower=lower)


def _with_solved_columns(
    x: Tensor, beside: Tensor, solved: Tensor, run: slice, lower: bool
) -> Tensor:
    """`x` with what is solved in its place, and without the others' products with it.

    It is cut along columns, or along rows where there are few columns: never along both, so that
    blocks of all versions take each other's place.
    """
    numbers = numbers_from(run.start, x.type.shape[0])
    parts = [(numbers, "m"), (beside, "mn"), (solved, "nk"), (x, "mk")]
    made, work = ("mk", x.type.dtype), ("mnk", 2.0)
    cut = "k" if x.type.shape[1] >= solved.type.shape[0] else "m"
    return panel_step("solvedrows", parts, made, work, cut, taken=0, lower=lower)
