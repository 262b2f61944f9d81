"""Hermitian matrices larger than a worker made bands, whose eigenvalues are the same.

A panel of columns below the band is factored by reflections, which are applied to the rest of the
matrix from both sides: two passes over it for each panel, both of products. Strips of columns are
whole in both, as the matrix is its own adjoint. The band, of as many diagonals as a panel has
columns, is held by one worker.

Source: Bischof, Lang, Sun, "A framework for symmetric band reduction", ACM Trans. Math. Softw. 26,
2000; the products of both sides: Dongarra, Sorensen, Hammarling, "Block reduction of matrices to
condensed forms for eigenvalue computations", J. Comput. Appl. Math. 27, 1989.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.complex_parts import real_part
from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.joins.diagonal import is_below_diagonal, on_diagonal
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.matrices.matrix_operator import MatrixFunction, Result
from dask_tapestry.operators.matrices.panel_qr import reflections
from dask_tapestry.operators.matrices.panel_step import panel_step, spread
from dask_tapestry.operators.matrices.panels import (
    Factors,
    adjoint,
    columns_of,
    numbers_from,
    panels_of,
    rows_of,
)
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class BandValues(MatrixFunction):
    """Ascending eigenvalues of a Hermitian band, which has a diagonal a row, from the main down."""

    name = kernel = "bandvalues"
    reads = ("dm",)
    work = ("mm", 4e3)  # 2.6 to 4.3 s for bands of 125 to 1000 diagonals, side 4000

    def results(self, inputs: Types) -> tuple[Result, ...]:
        return (Result("values", "m", np.dtype(inputs[0].dtype.char.lower())),)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """A copy in double precision, and three in which sweeps change it."""
        (band,) = inputs
        return 4 * band.size * np.result_type(band.dtype, np.float64).itemsize

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return kernel_reference(self, *inputs)


def hermitian(x: Tensor, triangle: str) -> Tensor:
    """The matrix of which `x` has one triangle; what else it has is not looked at."""
    rows, columns = x.type.shape
    lower = adjoint(x) if triangle == "U" else x
    strict = is_below_diagonal((rows, columns), -1)
    both = where(strict, lower, adjoint(lower))
    if x.type.dtype.kind != "c":
        return both
    return where(on_diagonal((rows, columns), 0), astype(real_part(x), x.type.dtype), both)


def band_by_panels(x: Tensor, width: int) -> Tensor:
    """The diagonal, and `width` ones below it, of a band: one a row."""
    side = x.type.shape[0]
    awaited = list[Tensor]()
    for run in panels_of(side, width):
        if run.stop < side:
            panel = columns_of(rows_of(x, run.stop, None), run.start, run.stop)
            x = _applied(reflections(panel, awaited), x)
            awaited = [rows_of(x, 0, 1)]
    return _band(x, width)


def _applied(factors: Factors, x: Tensor) -> Tensor:
    """The matrix with a panel in its place, and reflections applied from both sides behind it."""
    packed, t = factors
    dtype, numbers = x.type.dtype, numbers_from(0, x.type.shape[1])
    strips = [(packed, "pn"), (numbers, "k"), (x, "mk")]
    product = panel_step("reflectedproduct", strips, ("kn", dtype), ("pnk", 2.0), "k", taken=2)
    parts = [(packed, "pn"), (t, "nd"), (product, "mn")]
    w = panel_step("twosided", parts, ("pn", dtype), ("pnn", 6.0), taken=2)
    strips = [(packed, "pn"), (w, "pn"), (numbers, "k"), (x, "mk")]
    return panel_step("bandstrip", strips, ("mk", dtype), ("pnk", 4.0), "k", taken=0.5)


def _band(x: Tensor, width: int) -> Tensor:
    diagonals, numbers = numbers_from(0, width + 1), numbers_from(0, x.type.shape[1])
    parts, made = [(diagonals, "d"), (numbers, "k"), (x, "mk")], ("dk", x.type.dtype)
    return spread(panel_step("bandcolumns", parts, made, ("dk", 2.0), "k", taken=8))


def hermitian_values_by_panels(x: Tensor, width: int, triangle: str) -> Tensor:
    """Ascending eigenvalues; as `numpy.linalg.eigvalsh`."""
    return apply(BandValues(), band_by_panels(hermitian(x, triangle), width))
