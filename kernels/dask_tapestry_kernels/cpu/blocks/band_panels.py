"""Panels that make a large Hermitian matrix a band: reflections applied to it from both sides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.given_memory import copy_in
from dask_tapestry_kernels.cpu.blocks.less_product import subtract_product
from dask_tapestry_kernels.cpu.blocks.matrices import filled_result, one_result
from dask_tapestry_kernels.cpu.blocks.reflectors import reflections, rows_of_reflections
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def columns_behind(packed: Block, numbers: Block, block: Block) -> tuple[int, slice]:
    """Where a panel's reflections begin, and which columns they change from the right."""
    start = block.shape[0] - packed.shape[0]
    return start, slice(int(np.searchsorted(numbers, start)), None)


def reflected_product(packed: Block, numbers: Block, block: Block) -> Block:
    """Rows of the product of a Hermitian matrix, whose columns are given, and reflections.

    They are zero before the rows that the reflections change.
    """
    width = packed.shape[1]
    start, behind = columns_behind(packed, numbers, block)
    made = np.zeros((block.shape[1], width), block.dtype)
    rest = block[start:, behind]
    for first in range(0, len(packed), width):  # as adjoints of complex cells are copies
        rows = slice(first, first + width)
        v = packed[rows] if first else reflections(packed[rows])
        made[behind] += rest[rows].conj().T @ v
    return made


def two_sided(packed: Block, t: Block, product: Block) -> Block:
    """The W for which reflections Q make ``Q.H @ A @ Q`` of A as ``A - V @ W.H - W @ V.H``.

    Parameters
    ----------
    packed, t
        As `reflectors` returns them.
    product
        ``A @ V``, of which the last rows are those of the panel.
    """
    width = packed.shape[1]
    corner, below = reflections(packed[:width]), packed[width:]
    made = product[len(product) - len(packed) :] @ t
    inner = corner.conj().T @ made[:width] + below.conj().T @ made[width:]
    half = t.conj().T @ inner / 2
    subtract_product(made[:width], corner, half)
    subtract_product(made[width:], below, half)
    return made


def band_strip(
    packed: Block, w: Block, numbers: Block, block: Block, *, out: Block | None = None
) -> Block:
    """Columns of a matrix to which the reflections of a panel were applied from both sides.

    The panel's own columns get what it was factored into; rows before it stay as they are.
    """
    width = packed.shape[1]
    start, behind = columns_behind(packed, numbers, block)
    own = slice(int(np.searchsorted(numbers, start - width)), behind.start)
    if own.start == len(numbers):
        return block
    made = copy_in(out, block)
    made[start:, own] = packed[:, numbers[own] - (start - width)]
    rows, rest = numbers[behind] - start, made[start:, behind]
    w_adjoint, v_adjoint = w[rows].conj().T, rows_of_reflections(packed, rows).conj().T
    subtract_product(rest[:width], reflections(packed[:width]), w_adjoint)
    subtract_product(rest[width:], packed[width:], w_adjoint)
    subtract_product(rest, w, v_adjoint)
    return made


def band_columns(diagonals: Block, numbers: Block, block: Block) -> Block:
    """Cells of columns from the diagonal down; zero where there are no more rows."""
    rows = diagonals[:, None] + numbers
    inside = rows < block.shape[0]
    cells = np.take_along_axis(block, np.where(inside, rows, 0), axis=0)
    return np.where(inside, cells, cells.dtype.type(0))


KERNELS: Final[Mapping[str, Kernel]] = {
    "reflectedproduct": one_result(reflected_product),
    "twosided": one_result(two_sided),
    "bandstrip": filled_result(band_strip),
    "bandcolumns": one_result(band_columns),
}
