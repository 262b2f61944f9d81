"""Take by rows: indices of a table that no task should hold whole, sent to the owners of its rows.

`Take` as the forms that a gather has. What it gathers are rows of a table, whose axes that are
indexed have become one; indices are checked, and negative ones counted from the end, before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.rows_of_cells import RowsOfCells, row_numbers
from dask_tapestry.teg import Tensor

Gathered = Callable[[Tensor, Tensor, int], Tensor]


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
    found = gathered(rows.table(x), row_numbers(indices, axes, x.type.shape), owners)
    return rows.from_rows(found, result)
