"""Diagonal: the diagonal of two axes as a view, and masks of diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.amounts import integer
from dask_tapestry.cells.references import zero_cell
from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.tuning import DIAGONAL_SQUARE_CELLS, MOST_SQUARES
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.operators.views.view import View, ViewAxis, ViewSelector
from dask_tapestry.teg import Tensor, TensorType, apply


@dataclass(frozen=True)
class Diagonal(ViewSelector):
    """Cell (..., i) is ``x[.., i, .., i + offset, ..]`` of two axes; i is the last dimension."""

    name = "diagonal"
    offset: int
    axis1: int
    axis2: int

    def view(self, x: TensorType) -> View:
        rows, columns = x.shape[self.axis1], x.shape[self.axis2]
        above, below = max(self.offset, 0), max(-self.offset, 0)
        length = max(0, min(rows - below, columns - above))
        outer_dims = [dim for dim in range(x.ndim) if dim not in (self.axis1, self.axis2)]
        starts = {self.axis1: below, self.axis2: above}
        axes = tuple(
            ViewAxis(outer_dims.index(dim), 0, 1)
            if dim in outer_dims
            else ViewAxis(len(outer_dims), starts[dim] if length else 0, 1)
            for dim in range(x.ndim)
        )
        return View((*[x.shape[dim] for dim in outer_dims], length), axes)

    def text(self) -> str:
        return f"offset={self.offset}, axes=({self.axis1}, {self.axis2})"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.diagonal(inputs[0], self.offset, self.axis1, self.axis2)


def diagonal(x: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Return diagonals as the last dimension, as `numpy.diagonal` does.

    A long diagonal is joined from squares along it: one box around it would hold far more cells.

    Raises
    ------
    ShapeError
        For less than two dimensions, or one axis given twice.
    """
    ndim = x.type.ndim
    if ndim < 2:
        raise ShapeError(f"diag requires an array of at least two dimensions, got {x.type}")
    first, second = normalize_axis(axis1, ndim, "axis1"), normalize_axis(axis2, ndim, "axis2")
    if first == second:
        raise ShapeError("axis1 and axis2 cannot be the same")
    rows, columns = x.type.shape[first], x.type.shape[second]
    offset = integer(offset)
    row, column = max(-offset, 0), max(offset, 0)
    length = min(rows - row, columns - column)
    if length <= DIAGONAL_SQUARE_CELLS:
        return apply(Diagonal(offset, first, second), x)
    side = max(DIAGONAL_SQUARE_CELLS, -(-length // MOST_SQUARES))
    squares = []
    for start in range(0, length, side):
        key = [slice(None)] * ndim
        end = min(start + side, length)
        key[first] = slice(row + start, row + end)
        key[second] = slice(column + start, column + end)
        squares.append(apply(Diagonal(0, first, second), basic_slice(x, tuple(key))))
    return concat(squares, ndim - 2)


def is_below_diagonal(shape: tuple[int, ...], offset: int) -> Tensor:
    """Whether a cell of a tensor of `shape` lies on or below a diagonal of its last two axes."""
    return elementwise("greater_equal", *_along_diagonal(shape, offset))


def on_diagonal(shape: tuple[int, int], offset: int) -> Tensor:
    """Whether a cell of a matrix of `shape` lies on a diagonal."""
    return elementwise("equal", *_along_diagonal(shape, offset))


def _along_diagonal(shape: tuple[int, ...], offset: int) -> tuple[Tensor, Tensor]:
    """What is equal on a diagonal of the last two axes; offsets beyond the corners stay there."""
    ndim, (rows, columns) = len(shape), shape[-2:]
    row, column = coordinates(shape, ndim - 2), coordinates(shape, ndim - 1)
    return elementwise("add", row, max(-rows, min(offset, columns))), column


def with_zeros(mask: Tensor, x: Tensor) -> Tensor:
    """`x` where `mask` is true, else zero."""
    return where(mask, x, zero_cell(x.type.dtype))
