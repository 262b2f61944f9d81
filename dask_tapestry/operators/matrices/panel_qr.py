"""Orthonormal columns and triangles of matrices larger than a worker, in panels of columns.

Reflections of a panel are made in one block, and applied to others as products.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.joins.diagonal import below, with_zeros
from dask_tapestry.operators.matrices.panels import (
    Factorization,
    Factors,
    applied,
    factored,
    panel_at,
    panels_of,
    place,
    rows_of,
    side_by_side,
    stacked,
    unit_matrix,
)
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.cpu.blocks.less_product import subtract_product
from dask_tapestry_kernels.cpu.blocks.reflectors import reflections, reflectors


def _strip(packed: Any, t: Any, numbers: Any, block: Any) -> Any:
    """Columns to which the reflections of a panel were applied."""
    start, own, behind = place(packed, numbers, block)
    if own.start == len(numbers):
        return block
    made = np.array(block)
    made[start:, own] = packed[:, numbers[own] - start]
    _reflect(packed, t.conj().T, made[start:, behind])
    return made


def _turned_back(packed: Any, t: Any, numbers: Any, block: Any) -> Any:
    """Columns to which the reflections were applied from the last to the first.

    Those before the panel are of the unit matrix yet, and zero in its rows.
    """
    start, own, _ = place(packed, numbers, block)
    if own.start == len(numbers):
        return block
    made = np.array(block)
    _reflect(packed, t, made[start:, own.start :])
    return made


def _reflect(packed: Any, t: Any, x: Any) -> None:
    """Put ``x - v @ t @ v.H @ x`` in the place of `x`."""
    width = packed.shape[1]
    corner, below = reflections(packed[:width]), packed[width:]
    turned = t @ (corner.conj().T @ x[:width] + below.conj().T @ x[width:])
    subtract_product(x[:width], corner, turned)
    subtract_product(x[width:], below, turned)


def _factor(panel: Any, *_awaited: Any) -> Any:
    return reflectors(panel)


QR: Final = Factorization(_factor, {"nn": None}, _strip, 4.0, copies=3)


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
        q = applied(_turned_back, (panel_at(packed, run), t), QR.letters, q)
    return q


def _triangle(packed: Tensor) -> Tensor:
    """The factor R."""
    rows = rows_of(packed, None, min(packed.type.shape))
    return with_zeros(elementwise("logical_not", below(rows.type.shape, -1)), rows)


def triangle_by_panels(x: Tensor, width: int) -> Tensor:
    """The factor R alone."""
    packed, _, _ = factored(x, panels_of(min(x.type.shape), width), QR)
    return _triangle(packed)
