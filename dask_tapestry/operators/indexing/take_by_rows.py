"""Take by rows: indices of a table that no task should hold whole, sent to the owners of its rows.

`Take` as the forms that a gather has. What it gathers are rows of a table, whose axes that are
indexed have become one; indices are checked, and negative ones counted from the end, before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cell_function import called_on_cells
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.rows_of_cells import ROW_NUMBER, RowsOfCells
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.parameters.coordinate_steps import out_of_bounds

Gathered = Callable[[Tensor, Tensor, int], Tensor]


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


def taken_by_rows(
    x: Tensor,
    indices: Sequence[Tensor],
    axes: Sequence[int],
    at: int,
    owners: int,
    gathered: Gathered,
) -> Tensor:
    """Cells of `x` at `indices` along `axes`, which stand at `at` in the result.

    Parameters
    ----------
    gathered
        Function of a table, a vector of numbers of its rows, and how many owners it has, that
        returns these rows.
    """
    shape = indices[0].type.shape
    kept = [n for dim, n in enumerate(x.type.shape) if dim not in axes]
    result = (*kept[:at], *shape, *kept[at:])
    windows = tuple(d for d in range(len(result)) if not at <= d < at + len(shape))
    numbers = DimensionNumbers(windows, tuple(axes), (), (), tuple(axes), len(shape))
    rows = RowsOfCells(numbers, x.type.shape, tuple(axes))
    found = gathered(rows.table(x), _row_numbers(x, indices, axes), owners)
    return rows.from_rows(found, result)


def _row_numbers(x: Tensor, indices: Sequence[Tensor], axes: Sequence[int]) -> Tensor:
    """Numbers of rows, a vector."""
    row: Tensor | None = None
    for axis, own in zip(axes, indices, strict=True):
        extent = x.type.shape[axis]
        part = called_on_cells(CountedFromStart(extent, axis), ROW_NUMBER, [own])
        if row is not None:
            part = elementwise("add", elementwise("multiply", row, extent), part)
        row = part
    assert row is not None
    return reshape(row, (row.type.size,))
