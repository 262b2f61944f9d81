"""Matrices larger than a worker made upper bands, whose singular values are the same.

A panel of columns is factored by reflections from the left, and what is left of its rows by others
from the right. Strips of columns are whole. What is applied from the right needs products of all
rows with the panel's reflections: rows are read where they lie, in strips, and products are as few
columns as a panel. The band, of as many diagonals above the main one as a panel has columns, is
held by one worker. No product of the matrix with its adjoint is made, so small values are as exact
as LAPACK's.

Source: Grosser, Lang, "Efficient parallel reduction to bidiagonal form", Parallel Comput. 25, 1999.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.matrices.matrix_operator import MatrixFunction, Result
from dask_tapestry.operators.matrices.panel_band import hermitian
from dask_tapestry.operators.matrices.panel_qr import applied, in_strips, reflections
from dask_tapestry.operators.matrices.panel_step import Part, panel_tiles, spread
from dask_tapestry.operators.matrices.panels import (
    adjoint,
    columns_of,
    numbers_from,
    panels_of,
    rows_of,
)
from dask_tapestry.operators.tuning import PRODUCT, SQUARES_OF_ROWS
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class BandSingularValues(MatrixFunction):
    """Descending singular values of an upper band, which has a diagonal a row, from the main up."""

    name = kernel = "bandsingularvalues"
    reads = ("dm",)
    work = ("mm", 5e3)  # 3.4 to 5 s for bands of 125 to 1000 diagonals, side 4000

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("values", "m", np.dtype(inputs[0].dtype.char.lower())),)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Copies in double precision, and that which LAPACK changes."""
        (band,) = inputs
        return 4 * band.size * np.result_type(band.dtype, np.float64).itemsize

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


def upper_band_by_panels(x: Tensor, width: int) -> Tensor:
    """The diagonal, and `width` ones above it, of a band: one a row, each cell in its column."""
    columns = x.type.shape[1]
    x, awaited = in_strips(x, width), list[Tensor]()
    for run in panels_of(columns, width):
        panel = columns_of(rows_of(x, run.start, None), run.start, run.stop)
        packed, t = reflections(panel, awaited)
        x = applied("qrstrip", packed, t, x, columns, width)
        if run.stop < columns:
            x = _applied_from_the_right(x, run, width)
            awaited = [rows_of(x, 0, 1)]
    diagonals, numbers = numbers_from(0, width + 1), numbers_from(0, columns)
    parts = [Part(diagonals, "d", (0,)), Part(numbers, "k", (0,)), Part(x, "mk")]
    sides = {"d": width + 1, "k": columns, "m": x.type.shape[0]}
    made, work = ("dk", x.type.dtype), ("dk", 2.0)
    band = panel_tiles("uppercolumns", parts, made, work, sides, {"k": width}, 8)
    return spread(band)


def _applied_from_the_right(x: Tensor, run: slice, width: int) -> Tensor:
    """The matrix when the rows of a panel have become a triangle behind its columns."""
    rows, columns = x.type.shape
    own, below, behind = run.stop - run.start, rows - run.start, columns - run.stop
    panel = columns_of(rows_of(x, run.start, run.stop), run.stop, None)
    packed, t = reflections(adjoint(panel), [])
    dtype, place = x.type.dtype, (run.start, run.stop)
    sides = {"m": below, "p": behind, "n": own}
    parts = [Part(packed, "pn"), Part(t, "nn"), Part(x, "mp", place)]
    tiles, work = {"m": SQUARES_OF_ROWS * width}, ("mpn", 2 * PRODUCT)
    product = panel_tiles("rowproduct", parts, ("mn", dtype), work, sides, tiles, 1.0)
    parts = [
        Part(packed, "pn"),
        Part(product, "qn"),
        Part(numbers_from(run.stop, columns), "k", (0,)),
        Part(x, "mk"),
    ]
    sides = {"m": rows, "q": below, "p": behind, "n": own, "k": columns}
    made, work = ("mk", dtype), ("qkn", 2 * PRODUCT)
    return panel_tiles("rowstrip", parts, made, work, sides, {"k": width}, own / rows)


def singular_values_by_panels(x: Tensor, width: int, is_hermitian: bool) -> Tensor:
    """Descending singular values; as `numpy.linalg.svdvals`."""
    rows, columns = x.type.shape
    x = hermitian(x, "L") if is_hermitian else x
    tall = adjoint(x) if rows < columns else x
    return apply(BandSingularValues(), upper_band_by_panels(tall, width))
