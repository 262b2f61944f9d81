"""Panels that make a large matrix an upper band: reflections applied from each side by turns.

Those from the left are of a panel of columns (`qr_strip`); here are those from the right, of the
adjoint of the panel's rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.given_memory import copy_in
from dask_tapestry_kernels.cpu.blocks.less_product import subtract_product
from dask_tapestry_kernels.cpu.blocks.matrices import filled_result, one_result
from dask_tapestry_kernels.cpu.blocks.panels import adjoint
from dask_tapestry_kernels.cpu.blocks.reflectors import reflections, rows_of_reflections
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def row_product(packed: Block, t: Block, rows: Block) -> Block:
    """``A @ V @ t`` for some rows of A, of as many columns as V has rows."""
    width = packed.shape[1]
    corner = reflections(packed[:width])
    made: Block = rows[:, :width] @ corner
    made += rows[:, width:] @ packed[width:]
    return made @ t


def row_strip(
    packed: Block, product: Block, numbers: Block, block: Block, *, out: Block | None = None
) -> Block:
    """Columns of a matrix to whose last rows the reflections of a panel were applied.

    Parameters
    ----------
    packed
        The triangle of the panel's adjoint with V below it, which has a row for each column that
        the reflections change.
    product
        ``A @ V @ t`` for all rows that they change.
    numbers
        Of columns, from the first that they change.
    """
    width, start = packed.shape[1], len(block) - len(product)
    behind = slice(int(np.searchsorted(numbers, 0)), None)
    columns = numbers[behind]
    if not columns.size:
        return block
    made = copy_in(out, block)
    rest = made[start:, behind]
    subtract_product(rest[width:], product[width:], adjoint(rows_of_reflections(packed, columns)))
    rest[:width] = 0  # but for the triangle, which is as wide as the panel
    triangle = np.triu(packed[:width])[columns[columns < width]]
    rest[:width, : len(triangle)] = adjoint(triangle)[: len(rest)]
    return made


def upper_columns(diagonals: Block, numbers: Block, block: Block) -> Block:
    """Cells of columns from the diagonal up; zero where there are no more rows."""
    rows = numbers - diagonals[:, None]
    cells = np.take_along_axis(block, np.maximum(rows, 0), axis=0)
    return np.where(rows >= 0, cells, cells.dtype.type(0))


KERNELS: Final[Mapping[str, Kernel]] = {
    "rowproduct": one_result(row_product),
    "rowstrip": filled_result(row_strip),
    "uppercolumns": one_result(upper_columns),
}
