"""QR of matrices larger than a worker, in panels of columns: orthonormal ones, a triangle.

Reflections of a panel are made in one block, and applied to others as products.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.joins.diagonal import is_below_diagonal, with_zeros
from dask_tapestry.operators.matrices.panels import (
    Factorization,
    Factors,
    applied,
    factored,
    panel_at,
    panels_of,
    rows_of,
    side_by_side,
    stacked,
    unit_matrix,
)
from dask_tapestry.teg import Tensor

QR: Final = Factorization("qrpanel", {"nn": None}, "qrstrip", 4.0, copies=3)


def qr_by_panels(x: Tensor, width: int) -> Tensor:
    """``[Q, R]``, one below the other, or side by side where rows are fewer than columns."""
    rows, columns = x.type.shape
    runs = panels_of(min(x.type.shape), width)
    packed, _, factors = factored(x, runs, QR)
    q, r = _columns(packed, runs, factors), _triangle(packed)
    return stacked([q, r]) if rows >= columns else side_by_side([q, r])


def _columns(packed: Tensor, runs: list[slice], factors: list[Factors]) -> Tensor:
    """The orthonormal columns: reflections of those of a unit matrix, the last ones first."""
    rows = packed.type.shape[0]
    q = unit_matrix(rows, runs[-1].stop, packed.type.dtype)
    for run, (_, t) in zip(reversed(runs), reversed(factors), strict=True):
        q = applied("reflectedcolumns", (panel_at(packed, run), t), QR.letters, q)
    return q


def _triangle(packed: Tensor) -> Tensor:
    """The factor R."""
    rows = rows_of(packed, None, min(packed.type.shape))
    return with_zeros(elementwise("logical_not", is_below_diagonal(rows.type.shape, -1)), rows)


def triangle_by_panels(x: Tensor, width: int) -> Tensor:
    """The factor R alone."""
    packed, _, _ = factored(x, panels_of(min(x.type.shape), width), QR)
    return _triangle(packed)
