"""Panels of columns of a matrix larger than a worker: each is factored, then applied to the rest.

How wide they are is the size of a form (`MatrixFunction.forms`), which plans choose by cost.

A panel is whole in one block. The matrix is cut into strips of columns, which stay where they are
from panel to panel; only panels travel. As in LAPACK what a panel is factored into takes its place:
the matrix keeps its shape, so all its versions are cut alike, and a strip is freed when the next
one has been made of it.

Source: Dongarra, Duff, Sorensen, van der Vorst, "Numerical Linear Algebra for High-Performance
Computers", SIAM, 1998, chapter 5: the right-looking algorithms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.cells.references import zero_cell
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.joins.axis_slices import concat_nonempty
from dask_tapestry.operators.joins.diagonal import on_diagonal
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor

Factors = tuple[Tensor, ...]  # of a panel; the first is what takes its place


def panels_of(side: int, width: int) -> list[slice]:
    """Runs of `width` columns; the last may be shorter.

    Examples
    --------
    >>> panels_of(5, 2)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    return [slice(start, min(start + width, side)) for start in range(0, side, width)]


def numbers_from(origin: int, count: int) -> Tensor:
    """Numbers of `count` rows or columns, which count from the one at `origin`."""
    return elementwise("subtract", coordinates((count,), 0), origin)


def zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
    """Zeros of a dtype."""
    return full(shape, zero_cell(dtype))


def unit_matrix(rows: int, columns: int, dtype: np.dtype[Any]) -> Tensor:
    """Ones on the diagonal."""
    return astype(on_diagonal((rows, columns), 0), dtype)


def adjoint(x: Tensor) -> Tensor:
    """A matrix with rows and columns exchanged, of conjugate cells."""
    turned = permute(x, (1, 0))
    return elementwise("conjugate", turned) if x.type.dtype.kind == "c" else turned


def rows_of(x: Tensor, start: int | None, stop: int | None) -> Tensor:
    """Some rows."""
    return basic_slice(x, (slice(start, stop),))


def columns_of(x: Tensor, start: int | None, stop: int | None) -> Tensor:
    """Some columns."""
    return basic_slice(x, (slice(None), slice(start, stop)))


def side_by_side(parts: list[Tensor]) -> Tensor:
    """Matrices of the same rows as one."""
    return concat_nonempty(parts, 1)


def stacked(parts: list[Tensor]) -> Tensor:
    """Matrices of the same columns as one."""
    return concat_nonempty(parts, 0)
