"""Triangles of matrices larger than a worker, in panels of columns, with partial pivoting.

A panel is whole in one block, so that its pivots are those of LAPACK but for rounding.
"""

from __future__ import annotations

from string import ascii_letters
from typing import Any, Final

import numpy as np

from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.joins.diagonal import diagonal
from dask_tapestry.operators.joins.stack import stack
from dask_tapestry.operators.matrices.panel_triangle import solve_triangle_by_panels
from dask_tapestry.operators.matrices.panels import (
    Factorization,
    factored,
    panels_of,
    place,
    side_by_side,
    unit_matrix,
)
from dask_tapestry.operators.matrices.whole_matrix import call_on_matrices
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.cpu.blocks.less_product import subtract_product
from dask_tapestry_kernels.cpu.blocks.lu import factor_lu, parity
from dask_tapestry_kernels.cpu.blocks.triangles import solve_triangle

PLACES = np.dtype(np.int64)
LETTERS: Final = ascii_letters.replace("k", "").replace("m", "")  # of orders, one for each panel
ROWS_A_DIGIT = 4096  # places of rows are two digits, which all floating dtypes hold exactly


def _strip(packed: Any, order: Any, numbers: Any, block: Any) -> Any:
    """Columns whose rows have the order of a panel, without what it makes zero.

    The columns before the panel are left as they are.
    """
    start, own, behind = place(packed, numbers, block)
    if own.start == len(numbers):
        return block
    width = packed.shape[1]
    strip = np.array(block)
    strip[start:, own] = packed[:, numbers[own] - start]
    rest = strip[start:, behind]
    if rest.size:
        np.take(block[start:, behind], order, axis=0, out=rest, mode="clip")
        rest[:width] = solve_triangle(packed[:width], rest[:width], lower=True, unit=True)
        subtract_product(rest[width:], packed[width:], rest[:width])
    return strip


def _factor(panel: Any, *_awaited: Any) -> Any:
    return factor_lu(panel)


LU: Final = Factorization(_factor, {"p": PLACES}, _strip, 2.0)


def _triangles(x: Tensor, width: int) -> tuple[Tensor, list[Tensor]]:
    """Both triangles in one matrix, the lower one with rows as they were, and orders of rows."""
    packed, _, factors = factored(x, panels_of(min(x.type.shape), width), LU)
    return packed, [order for _, order in factors]


def packed_lu(block: Any) -> Any:
    """What `lu_by_panels` returns, of a block."""
    packed, order = factor_lu(block)
    digits = np.stack(np.divmod(order, ROWS_A_DIGIT), axis=1).astype(block.dtype)
    return np.concatenate([packed, digits], axis=1)


def lu_by_panels(x: Tensor, width: int) -> Tensor:
    """Both triangles in one matrix, and two columns of digits of the order of rows."""
    packed, orders = _triangles(x, width)
    order = _of_orders(_composed, orders, {LETTERS[0]: PLACES})
    digits = [elementwise(name, order, ROWS_A_DIGIT) for name in ("floor_divide", "remainder")]
    packed = _in_last_order(packed, orders)
    return side_by_side([packed, stack([astype(d, x.type.dtype) for d in digits], 1)])


def _in_last_order(packed: Tensor, orders: list[Tensor]) -> Tensor:
    """Both triangles, with the rows below each panel in the order of the panels behind it."""
    numbers = coordinates(packed.type.shape[1:], 0)
    parts = [(numbers, "k"), (packed, "mk"), *zip(orders, LETTERS, strict=False)]
    outputs = {"mk": packed.type.dtype}
    (made,) = call_on_matrices(_ordered, parts, outputs, ("mk", 1.0), "k", copies=1)
    return made


def _ordered(numbers: Any, block: Any, *orders: Any) -> Any:
    made, rows = np.array(block), block.shape[0]
    for order in orders[1:]:
        start = rows - len(order)
        before = slice(0, np.searchsorted(numbers, start))
        made[start:, before] = made[start:, before][order]
    return made


def _composed(*orders: Any) -> Any:
    """Orders of rows, each of the last ones again, as one."""
    made = np.array(orders[0])
    for order in orders[1:]:
        last = made[len(made) - len(order) :]
        last[...] = last[order]
    return made


def solve_by_panels(a: Tensor, b: Tensor, width: int) -> Tensor:
    """The x with ``a @ x = b``: what is done to the columns of `a` is done to those of `b`."""
    upper, right, _ = factored(a, panels_of(a.type.shape[0], width), LU, b)
    assert right is not None
    return solve_triangle_by_panels(upper, right, width, lower=False)


def inverse_by_panels(a: Tensor, width: int) -> Tensor:
    """The inverse: what solves equations with a unit matrix."""
    side = a.type.shape[0]
    return solve_by_panels(a, unit_matrix(side, side, a.type.dtype), width)


def determinant_by_panels(a: Tensor, width: int) -> Tensor:
    """The product of the diagonal, with the sign of the order of rows."""
    packed, orders = _triangles(a, width)
    product = reduce(diagonal(packed), "prod")
    return elementwise("multiply", product, astype(_sign(orders), a.type.dtype))


def sign_and_logarithm_by_panels(a: Tensor, width: int) -> Tensor:
    """The sign of the determinant, and the logarithm of its modulus, in one vector."""
    packed, orders = _triangles(a, width)
    cells = diagonal(packed)
    sign = elementwise("multiply", reduce(elementwise("sign", cells), "prod"), _sign(orders))
    logarithm = reduce(elementwise("log", elementwise("absolute", cells)), "sum")
    return stack([astype(one, a.type.dtype) for one in (sign, logarithm)], 0)


def _sign(orders: list[Tensor]) -> Tensor:
    return _of_orders(_parity, orders, {"": np.dtype(np.int8)})


def _parity(*orders: Any) -> Any:
    return np.int8(np.prod([parity(order) for order in orders]))


def _of_orders(function: Any, orders: list[Tensor], outputs: dict[str, np.dtype[Any]]) -> Tensor:
    """A function of all orders of rows."""
    (made,) = call_on_matrices(
        function, list(zip(orders, LETTERS, strict=False)), outputs, (LETTERS[0], 100.0)
    )
    return made
