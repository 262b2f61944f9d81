"""Rows of cells: a gather or a scatter along some dimensions as one of rows, by their number.

The dimensions that indices move windows along become one, the first; windows have one cell along
each of them. So a place is one number, and what belongs to it one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Literal

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cell_function import called_on_cells
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.parameters.coordinate_steps import out_of_bounds

ROW_NUMBER = np.dtype(np.int64)


@dataclass(frozen=True)
class RowsOfCells:
    """How the dimensions of an operand, and of cells, become rows.

    Attributes
    ----------
    numbers
        Which dimensions belong together.
    shape
        Of the operand.
    moved
        Dimensions that indices move windows along.
    """

    numbers: DimensionNumbers
    shape: tuple[int, ...]
    moved: tuple[int, ...]

    @property
    def other_dims(self) -> tuple[int, ...]:
        """The other dimensions."""
        return tuple(dim for dim in range(len(self.shape)) if dim not in self.moved)

    @property
    def count(self) -> int:
        """Rows."""
        return prod(self.shape[dim] for dim in self.moved)

    def table(self, x: Tensor) -> Tensor:
        """The operand as rows."""
        ordered = permute(x, (*self.moved, *self.other_dims))
        return reshape(ordered, (self.count, *(self.shape[dim] for dim in self.other_dims)))

    def from_table(self, rows: Tensor) -> Tensor:
        """Rows as the operand."""
        order = (*self.moved, *self.other_dims)
        back = reshape(rows, tuple(self.shape[dim] for dim in order))
        return permute(back, tuple(int(n) for n in np.argsort(order)))

    def cells(self, updates: Tensor) -> Tensor:
        """Updates as rows, in the order of the index vectors."""
        batch = self.numbers.batch_axes(updates.type.ndim)
        ordered = permute(updates, (*batch, *self.numbers.window_dims))
        count = prod(updates.type.shape[axis] for axis in batch)
        return reshape(ordered, (count, *(self.shape[dim] for dim in self.other_dims)))

    def from_rows(self, rows: Tensor, shape: tuple[int, ...]) -> Tensor:
        """Rows as cells of `shape`."""
        order = (*self.numbers.batch_axes(len(shape)), *self.numbers.window_dims)
        back = reshape(rows, tuple(shape[axis] for axis in order))
        return permute(back, tuple(int(n) for n in np.argsort(order)))

    def places(self, indices: Tensor, beyond: Literal["drop", "nearest", "refuse"]) -> Tensor:
        """Numbers of rows, a vector.

        What is out of bounds is -1, or the nearest, or it raises IndexError when it is computed,
        but for negative ones, which count from the end then.
        """
        if beyond == "refuse":
            parts = [self._component(indices, dim) for dim in self.moved]
            return row_numbers(parts, self.moved, self.shape)
        drop, row = beyond == "drop", None
        inside: Tensor | None = None
        for dim in self.moved:
            part, n = self._component(indices, dim), self.shape[dim]
            if drop:
                within = elementwise(
                    "logical_and",
                    elementwise("greater_equal", part, 0),
                    elementwise("less", part, n),
                )
                inside = within if inside is None else elementwise("logical_and", inside, within)
            start = _clamped(part, n)
            if row is not None:
                start = elementwise("add", elementwise("multiply", row, n), start)
            row = start
        assert row is not None
        found = row if inside is None else where(inside, row, np.int64(-1))
        return reshape(found, (found.type.size,))

    def _component(self, indices: Tensor, dim: int) -> Tensor:
        """The part of all index vectors for a dimension."""
        if self.numbers.vector_dim == indices.type.ndim:
            return indices
        number = self.numbers.index_map.index(dim)
        return basic_slice(indices, (*[slice(None)] * self.numbers.vector_dim, number))


@dataclass(frozen=True)
class CountedFromStart:
    """What is called on blocks of indices of an axis: none is negative in what it returns.

    Attributes
    ----------
    extent, axis
        Of the array that is indexed.
    """

    extent: int
    axis: int

    def __call__(self, indices: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if indices.size:
            error = out_of_bounds(indices.min(), indices.max(), self.extent, self.axis)
            if error is not None:
                raise error
        numbers = indices.astype(ROW_NUMBER, copy=False)
        return np.where(numbers < 0, numbers + self.extent, numbers)


def row_numbers(indices: Sequence[Tensor], axes: Sequence[int], shape: Sequence[int]) -> Tensor:
    """Numbers of rows, a vector, of indices of some axes of a shape, checked as they are computed.

    Negative ones count from the end.
    """
    row: Tensor | None = None
    for axis, own in zip(axes, indices, strict=True):
        part = called_on_cells(CountedFromStart(shape[axis], axis), ROW_NUMBER, [own])
        if row is not None:
            part = elementwise("add", elementwise("multiply", row, shape[axis]), part)
        row = part
    assert row is not None
    return reshape(row, (row.type.size,))


def _clamped(part: Tensor, extent: int) -> Tensor:
    """Starts moved into ``range(extent)``, as int64."""
    dtype = part.type.dtype
    if extent - 1 < int(np.iinfo(dtype.char).max):
        part = elementwise("minimum", part, extent - 1)
    if dtype.kind == "i":
        part = elementwise("maximum", part, 0)
    return astype(part, ROW_NUMBER)
