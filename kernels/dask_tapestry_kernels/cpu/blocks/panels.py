"""Panels of columns of a large matrix: factored, and applied to strips of the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks.given_memory import copy_in, room
from dask_tapestry_kernels.cpu.blocks.less_product import subtract_product, subtract_square
from dask_tapestry_kernels.cpu.blocks.lu import factor_lu, parity
from dask_tapestry_kernels.cpu.blocks.matrices import (
    filled_result,
    one_result,
    put_cholesky,
    put_turned_columns,
    several_results,
    triangle,
)
from dask_tapestry_kernels.cpu.blocks.reflectors import reflections, reflectors
from dask_tapestry_kernels.cpu.blocks.triangles import put_solution
from dask_tapestry_kernels.kernel_table import Kernel

Block = np.ndarray[Any, Any]


def place_of(packed: Block, numbers: Block, block: Block) -> tuple[int, slice, slice]:
    """Where a panel lies, for a strip: its first row, its own columns, and those behind it."""
    start = block.shape[0] - packed.shape[0]
    own, behind = np.searchsorted(numbers, (start, start + packed.shape[1]))
    return start, slice(own, behind), slice(behind, None)


def copied(block: Block, *_awaited: Block, out: Block | None = None) -> Block:
    """A copy; other blocks are only waited for."""
    return copy_in(out, block)


def less_squares(square: Block, *across: Block, out: Block | None = None) -> Block:
    """The lower half of a square less the products of rows with their adjoints."""
    made = copy_in(out, square)
    for rows in across:
        subtract_square(made, rows)
    return made


def cholesky_corner(square: Block, *across: Block, out: Block | None = None) -> Block:
    """The triangle of what `less_squares` returns."""
    return put_cholesky(less_squares(square, *across, out=out), upper=False)


def less_products(block: Block, *beside: Block, out: Block | None = None) -> Block:
    """A block less products of others, which come by turns, with the adjoints of others."""
    made = copy_in(out, block)
    for left, right in zip(beside[::2], beside[1::2], strict=True):
        subtract_product(made, left, adjoint(right))
    return made


def cholesky_below(corner: Block, block: Block, *beside: Block, out: Block | None = None) -> Block:
    """Rows less products as `less_products` has them, times the inverse of the corner's adjoint."""
    made = less_products(block, *beside, out=out)
    put_solution(corner.conj() if corner.dtype.kind == "c" else corner, made.T, lower=True)
    return made


def adjoint(block: Block) -> Block:
    """Rows and columns exchanged, of conjugate cells."""
    return block.conj().T if block.dtype.kind == "c" else block.T


def less_solved(solved: Block, others: Block, rows: Block, *, out: Block | None = None) -> Block:
    """Rows without the products of other cells of a triangle with what is solved."""
    made = copy_in(out, rows)
    subtract_product(made, others, solved)
    return made


def factor_lu_panel(panel: Block, *_awaited: Block) -> tuple[Block, Block]:
    """Both triangles of a panel in its place, and the order of its rows."""
    return factor_lu(panel)


def lu_strip(
    packed: Block, order: Block, strip: Block, *_awaited: Block, out: Block | None = None
) -> Block:
    """Columns whose last rows have the order of a panel, without what it makes zero of them.

    Other blocks are only waited for.
    """
    made, width = room(out, strip.shape, strip.dtype), packed.shape[1]
    start = len(strip) - len(packed)
    made[:start], below = strip[:start], made[start:]
    np.take(strip[start:], order, axis=0, out=below, mode="clip")
    put_solution(packed[:width], below[:width], lower=True, unit=True)
    subtract_product(below[width:], packed[width:], below[:width])
    return made


def in_last_order(packed: Block, *orders: Block, out: Block | None = None) -> Block:
    """A panel with the rows below its corner in the order of the panels behind it."""
    made = copy_in(out, packed)
    for order in orders:
        below = made[len(made) - len(order) :]
        below[...] = below[order]
    return made


def composed_order(*orders: Block) -> Block:
    """Orders of rows, each of the last ones again, as one."""
    made = np.array(orders[0])
    for order in orders[1:]:
        last = made[len(made) - len(order) :]
        last[...] = last[order]
    return made


def sign_of_orders(*orders: Block) -> Any:
    """The product of the signs of orders of rows."""
    return np.int8(np.prod([parity(order) for order in orders]))


def factor_qr_panel(panel: Block, *_awaited: Block) -> tuple[Block, Block]:
    """The reflections of a panel with its triangle, in its place, and their own triangle."""
    packed, t = reflectors(panel)
    return packed, t


def qr_strip(
    packed: Block, t: Block, numbers: Block, block: Block, *, out: Block | None = None
) -> Block:
    """Columns to whose last rows the reflections of a panel were applied; it lies in its place."""
    start, own, behind = place_of(packed, numbers, block)
    if own.start == len(numbers):
        return block
    made = copy_in(out, block)
    made[start:, own] = packed[:, numbers[own] - start]
    _reflect(packed, adjoint(t), made[start:, behind])
    return made


def reflected_columns(
    packed: Block, t: Block, numbers: Block, block: Block, *, out: Block | None = None
) -> Block:
    """Columns to which reflections were applied that are those of a unit matrix in their place."""
    start, own, _ = place_of(packed, numbers, block)
    if own.start == len(numbers):
        return block
    made = copy_in(out, block)
    made[:, own] = 0
    made[numbers[own], np.arange(own.start, own.stop)] = 1
    _reflect(packed, t, made[start:, own.start :])
    return made


def _reflect(packed: Block, t: Block, x: Block) -> None:
    """Put ``x - V @ t @ V.H @ x`` in the place of `x`, some rows of V.H at a time.

    Adjoints of complex cells are copies.
    """
    width = packed.shape[1]
    corner, below = reflections(packed[:width]), packed[width:]
    product = np.zeros((width, x.shape[1]), x.dtype)
    for first in range(0, len(packed), width):
        rows = slice(first, first + width)
        subtract_product(product, adjoint(packed[rows] if first else corner), x[rows])
    turned = -t @ product
    subtract_product(x[:width], corner, turned)
    subtract_product(x[width:], below, turned)


def row_triangles(block: Block, *, rows: int) -> Block:
    """The triangle of each block of so many rows, one below the other.

    One block after the other, as the next function too: they take the memory of one.
    """
    columns = block.shape[1]
    made = np.empty((len(block) // rows * columns, columns), block.dtype)
    for at, start in enumerate(range(0, len(block), rows)):
        made[at * columns : (at + 1) * columns] = triangle(block[start : start + rows])
    return made


def turned_columns(block: Block, turns: Block, *, rows: int) -> Block:
    """The orthonormal columns of each block of rows, times a square matrix of its own."""
    columns = block.shape[1]
    made = np.empty(block.shape, block.dtype)
    for at, start in enumerate(range(0, len(block), rows)):
        turn = turns[at * columns : (at + 1) * columns]
        put_turned_columns(block[start : start + rows], turn, made[start : start + rows])
    return made


KERNELS: Final[Mapping[str, Kernel]] = {
    "copied": filled_result(copied),
    "choleskycorner": filled_result(cholesky_corner),
    "choleskybelow": filled_result(cholesky_below),
    "lessproducts": filled_result(less_products),
    "lesssolved": filled_result(less_solved),
    "lustrip": filled_result(lu_strip),
    "inlastorder": filled_result(in_last_order),
    "composedorder": one_result(composed_order),
    "signoforders": one_result(sign_of_orders),
    "qrstrip": filled_result(qr_strip),
    "reflectedcolumns": filled_result(reflected_columns),
    "rowtriangles": one_result(row_triangles),
    "turnedcolumns": one_result(turned_columns),
    "lupanel": several_results(factor_lu_panel),  # type: ignore[dict-item]
    "qrpanel": several_results(factor_qr_panel),  # type: ignore[dict-item]
}
