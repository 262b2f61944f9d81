"""Triangles of matrices larger than a worker, in panels of columns, with partial pivoting.

A panel is whole in one block, so that its pivots are those of LAPACK but for rounding.
"""

from __future__ import annotations

from string import ascii_letters
from typing import Any

import numpy as np

from dask_tapestry.operators.diagonal import diagonal
from dask_tapestry.operators.elementwise import astype, elementwise
from dask_tapestry.operators.panels import (
    AWAITED,
    Panel,
    columns_of,
    factored,
    rows_of,
    side_by_side,
    stacked,
    unit_matrix,
)
from dask_tapestry.operators.reduce import reduce
from dask_tapestry.operators.stack import stack
from dask_tapestry.operators.whole_matrix import call_on_matrices, spread
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.cpu.blocks.lu import factor_lu, parity
from dask_tapestry_kernels.cpu.blocks.triangles import solve_triangle

PLACES = np.dtype(np.int64)
ROWS_A_DIGIT = 4096  # places of rows are two digits, which all floating dtypes hold exactly


def _panels(x: Tensor, width: int, right: Tensor | None = None) -> list[Panel]:
    """Panels; factors are both triangles, which row came to a place, and the first rows again."""
    return list(factored(x, width, _factor, _eliminated, right))


def _factor(x: Tensor, *awaited: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    parts = [(x, "mn"), *zip(awaited, AWAITED, strict=False)]
    outputs = {"mn": x.type.dtype, "m": PLACES}
    packed, order = call_on_matrices(_lu, parts, outputs, ("mnn", 2.0))
    return packed, spread(order), spread(rows_of(packed, None, x.type.shape[1]))


def _lu(block: Any, *_awaited: Any) -> tuple[Any, Any]:
    return factor_lu(block)


def _eliminated(
    packed: Tensor, order: Tensor, corner: Tensor, rest: Tensor
) -> tuple[Tensor, Tensor]:
    """The first rows behind a panel, and the others without what those make zero."""
    kind, left = rest.type.dtype, rest.type.shape[0] - corner.type.shape[0]
    parts = [(corner, "nn"), (order, "m"), (rest, "mk")]
    (first,) = call_on_matrices(_first_rows, parts, {"nk": kind}, ("nnk", 1.0), cut="k")
    parts = [(packed, "mn"), (order, "m"), (rest, "mk"), (first, "nk")]
    outputs, sizes, flops = {"rk": kind}, {"r": left}, ("mnk", 2.0)
    (others,) = call_on_matrices(_other_rows, parts, outputs, flops, "k", sizes, copies=1)
    return first, others


def _first_rows(corner: Any, order: Any, rest: Any) -> Any:
    return solve_triangle(corner, rest[order[: corner.shape[0]]], lower=True, unit=True)


def _other_rows(packed: Any, order: Any, rest: Any, first: Any) -> Any:
    count = first.shape[0]
    made = packed[count:] @ first
    return np.subtract(rest[order[count:]], made, out=made)


def packed_lu(block: Any) -> Any:
    """What `lu_by_panels` returns, of a block."""
    packed, order = factor_lu(block)
    digits = np.stack(np.divmod(order, ROWS_A_DIGIT), axis=1).astype(block.dtype)
    return np.concatenate([packed, digits], axis=1)


def lu_by_panels(x: Tensor, width: int) -> Tensor:
    """Both triangles in one matrix, and two columns of digits of the order of rows."""
    panels = _panels(x, width)
    below, order = _in_last_order(panels)
    side = min(x.type.shape)
    made = []
    for number, panel in enumerate(panels):
        above = [_beside(upper, panel.columns) for upper in panels[:number]]
        made.append(stacked([*above, panel.factors[2], below[number]]))
    wide = slice(side, x.type.shape[1])
    made.append(stacked([_beside(panel, wide) for panel in panels]))
    digits = [elementwise(name, order, ROWS_A_DIGIT) for name in ("floor_divide", "remainder")]
    return side_by_side([*made, stack([astype(d, x.type.dtype) for d in digits], 1)])


def _beside(panel: Panel, columns: slice) -> Tensor:
    """Rows of the upper triangle beside a panel, of some columns of the matrix."""
    first = panel.columns.stop
    return columns_of(panel.beside, columns.start - first, columns.stop - first)


def _in_last_order(panels: list[Panel]) -> tuple[list[Tensor], Tensor]:
    """The lower triangle below each panel once all rows are exchanged, and the order of rows."""
    found: list[Tensor] = []
    later: Tensor | None = None
    for panel in reversed(panels):
        packed, order, _ = panel.factors
        below = rows_of(packed, panel.width, None)
        found.append(below if later is None else _ordered(below, later))
        later = order if later is None else _composed(order, later)
    assert later is not None
    return found[::-1], later


def _ordered(x: Tensor, order: Tensor) -> Tensor:
    """The rows of `x` in an order."""
    parts, outputs = [(x, "mk"), (order, "m")], {"mk": x.type.dtype}
    (made,) = call_on_matrices(_rows_in_order, parts, outputs, ("mk", 1.0), cut="k", copies=0)
    return made


def _rows_in_order(block: Any, order: Any) -> Any:
    return block[order]


def _composed(order: Tensor, later: Tensor) -> Tensor:
    """An order of rows, of which the last are ordered again."""
    parts = [(order, "m"), (later, "n")]
    (made,) = call_on_matrices(_last_again, parts, {"m": PLACES}, ("m", 1.0))
    return made


def _last_again(order: Any, later: Any) -> Any:
    count = len(order) - len(later)
    return np.concatenate([order[:count], order[count:][later]])


def solve_by_panels(a: Tensor, b: Tensor, width: int) -> Tensor:
    """The x with ``a @ x = b``: what is done to the columns of `a` is done to those of `b`."""
    side = a.type.shape[0]
    panels = _panels(a, width, b)
    x = rows_of(b, side, None)
    for panel in reversed(panels):
        x = _solved(panel, side, x)
    return x


def _solved(panel: Panel, side: int, below: Tensor) -> Tensor:
    """The unknowns of the rows of a panel and of those below, which are known."""
    right = columns_of(panel.beside, side - panel.columns.stop, None)
    upper = columns_of(panel.beside, None, side - panel.columns.stop)
    parts = [(panel.factors[2], "nn"), (upper, "nj"), (below, "jk"), (right, "nk")]
    outputs = {"nk": right.type.dtype}
    (made,) = call_on_matrices(_last_solved, parts, outputs, ("njk", 2.0), cut="k", copies=1.5)
    return stacked([made, below])


def _last_solved(corner: Any, upper: Any, below: Any, right: Any) -> Any:
    return solve_triangle(corner, right - upper @ below, lower=False)


def inverse_by_panels(a: Tensor, width: int) -> Tensor:
    """The inverse: what solves equations with a unit matrix."""
    side = a.type.shape[0]
    return solve_by_panels(a, unit_matrix(side, side, a.type.dtype), width)


def determinant_by_panels(a: Tensor, width: int) -> Tensor:
    """The product of the diagonal, with the sign of the order of rows."""
    panels = _panels(a, width)
    product = reduce(_diagonal(panels), "prod")
    return elementwise("multiply", product, astype(_sign(panels), a.type.dtype))


def sign_and_logarithm_by_panels(a: Tensor, width: int) -> Tensor:
    """The sign of the determinant, and the logarithm of its modulus, in one vector."""
    panels = _panels(a, width)
    cells = _diagonal(panels)
    sign = elementwise("multiply", reduce(elementwise("sign", cells), "prod"), _sign(panels))
    logarithm = reduce(elementwise("log", elementwise("absolute", cells)), "sum")
    return stack([astype(one, a.type.dtype) for one in (sign, logarithm)], 0)


def _diagonal(panels: list[Panel]) -> Tensor:
    return stacked([diagonal(panel.factors[2]) for panel in panels])


def _sign(panels: list[Panel]) -> Tensor:
    orders = [(panel.factors[1], d) for panel, d in zip(panels, ascii_letters, strict=False)]
    assert len(orders) == len(panels)
    (made,) = call_on_matrices(_parity, orders, {"": np.dtype(np.int8)}, ("a", 100.0))
    return made


def _parity(*orders: Any) -> Any:
    return np.int8(np.prod([parity(order) for order in orders]))
