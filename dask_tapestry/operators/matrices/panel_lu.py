"""LU of matrices larger than a worker, in panels of columns, with partial pivoting.

A panel is whole in one block, so that its pivots are those of LAPACK but for rounding. Of what
panels are factored into the upper triangle alone is held, where the lower one is not asked for.
"""

from __future__ import annotations

from string import ascii_letters
from typing import Any, Final

import numpy as np

from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.joins.axis_slices import concat_nonempty
from dask_tapestry.operators.joins.diagonal import diagonal
from dask_tapestry.operators.joins.stack import stack
from dask_tapestry.operators.matrices.panel_step import Part, panel_step, panel_tiles, spread
from dask_tapestry.operators.matrices.panel_strips import Factorization, Panel, factored
from dask_tapestry.operators.matrices.panel_triangle import (
    TriangleColumns,
    solved_by_columns,
    tiles_of,
)
from dask_tapestry.operators.matrices.panels import side_by_side, stacked, unit_matrix
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.tuning import PRODUCT, SQUARES_ABOVE
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.parameters.row_orders import ROWS_A_DIGIT

PLACES = np.dtype(np.int64)
LETTERS: Final = ascii_letters.replace("n", "").replace("p", "")  # of orders, one for each panel
LU: Final = Factorization("lupanel", ("p", PLACES), "lustrip", 1.0, 2 * PRODUCT, 0.5)


def lu_by_panels(x: Tensor, width: int) -> Tensor:
    """Both triangles in one matrix, and two columns of digits of the order of rows."""
    panels, behind, _ = factored(x, width, LU, is_read_later=True)
    orders = [panel.other for panel in panels]
    order = _of_orders("composedorder", orders, (LETTERS[0], PLACES))
    digits = [elementwise(name, order, ROWS_A_DIGIT) for name in ("floor_divide", "remainder")]
    columns = [_column(panel, orders[at:]) for at, panel in enumerate(panels, 1)]
    columns += [] if behind is None else [behind]
    return side_by_side([*columns, stack([astype(d, x.type.dtype) for d in digits], 1)])


def _column(panel: Panel, later: list[Tensor]) -> Tensor:
    """All rows of a panel."""
    below = _in_last_order(panel.packed, later)
    return below if panel.above is None else stacked([panel.above, below])


def _in_last_order(packed: Tensor, orders: list[Tensor]) -> Tensor:
    """A panel with the rows below its corner in the order of the panels behind it."""
    if not orders:
        return packed
    named = list(zip(orders, LETTERS, strict=False))
    parts = [Part(packed, "pn"), *[Part(order, d, (0,)) for order, d in named]]
    lengths = {d: order.type.shape[0] for order, d in named}
    sides = {**dict(zip("pn", packed.type.shape, strict=True)), **lengths}
    return panel_tiles("inlastorder", parts, ("pn", packed.type.dtype), ("pn", 1.0), sides, {})


def solve_by_panels(a: Tensor, b: Tensor, width: int) -> Tensor:
    """The x with ``a @ x = b``: what is done to the columns of `a` is done to those of `b`."""
    panels, _, right = factored(a, width, LU, b)
    assert right is not None
    columns = [
        TriangleColumns(
            panel.run,
            Part(panel.corner, "mm"),
            Part(panel.corner if panel.above is None else panel.above, "mn"),
        )
        for panel in panels
    ]
    tiles = tiles_of(right, SQUARES_ABOVE * width, width)
    return solved_by_columns(columns, right, lower=False, tiles=tiles)


def inverse_by_panels(a: Tensor, width: int) -> Tensor:
    """The inverse: what solves equations with a unit matrix."""
    side = a.type.shape[0]
    return solve_by_panels(a, unit_matrix(side, side, a.type.dtype), width)


def determinant_by_panels(a: Tensor, width: int) -> Tensor:
    """The product of the diagonal, with the sign of the order of rows."""
    cells, sign = _diagonal(factored(a, width, LU)[0])
    return elementwise("multiply", reduce(cells, "prod"), astype(sign, a.type.dtype))


def sign_and_logarithm_by_panels(a: Tensor, width: int) -> Tensor:
    """The sign of the determinant, and the logarithm of its modulus, in one vector."""
    cells, exchanged = _diagonal(factored(a, width, LU)[0])
    sign = elementwise("multiply", reduce(elementwise("sign", cells), "prod"), exchanged)
    logarithm = reduce(elementwise("log", elementwise("absolute", cells)), "sum")
    return stack([astype(one, a.type.dtype) for one in (sign, logarithm)], 0)


def _diagonal(panels: list[Panel]) -> tuple[Tensor, Tensor]:
    """The diagonal of the upper triangle, and the sign of the order of rows."""
    cells = concat_nonempty([spread(diagonal(panel.packed)) for panel in panels], 0)
    orders = [panel.other for panel in panels]
    return cells, _of_orders("signoforders", orders, ("", np.dtype(np.int8)))


def _of_orders(kernel: str, orders: list[Tensor], made: tuple[str, np.dtype[Any]]) -> Tensor:
    """A kernel of all orders of rows."""
    return panel_step(kernel, list(zip(orders, LETTERS, strict=False)), made, (LETTERS[0], 100.0))
