"""LU of matrices larger than a worker, in panels of columns, with partial pivoting.

A panel is whole in one block, so that its pivots are those of LAPACK but for rounding. It is
applied to strips of the columns behind it, as wide as panels are: what is made of a strip is cut as
the strip was, so it stays on its worker, and the next panel can be factored when the first strip is
made. Rows of the upper triangle are copied, so that a strip is freed when the next one has been
made of it, and a panel when it has been applied to all.

Source: Dongarra, Duff, Sorensen, van der Vorst, "Numerical Linear Algebra for High-Performance
Computers", SIAM, 1998, chapter 5: the right-looking algorithm.
"""

from __future__ import annotations

from string import ascii_letters
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.joins.axis_slices import concat_nonempty
from dask_tapestry.operators.joins.diagonal import diagonal
from dask_tapestry.operators.joins.stack import stack
from dask_tapestry.operators.matrices.panel_step import (
    Part,
    panel_factors,
    panel_step,
    panel_tiles,
    spread,
)
from dask_tapestry.operators.matrices.panel_triangle import less_solved, solved_rows
from dask_tapestry.operators.matrices.panels import (
    columns_of,
    panels_of,
    rows_of,
    side_by_side,
    stacked,
    unit_matrix,
)
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.tuning import PRODUCT
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.parameters.row_orders import ROWS_A_DIGIT

PLACES = np.dtype(np.int64)
AWAITED: Final = ("ab", "cd")  # letters of the dimensions of what a panel waits for
LETTERS: Final = ascii_letters.replace("n", "").replace("p", "")  # of orders, one for each panel


class Panel(NamedTuple):
    """A panel that has been factored, and applied to what is behind it.

    Attributes
    ----------
    packed
        Both triangles, with rows in their `order`: which row has come to each place.
    corner
        The square of both triangles, in a block of its own.
    beside
        Rows of the upper triangle beside the corner, if there are any.
    right
        The same rows of the right sides, if there are any.
    """

    packed: Tensor
    order: Tensor
    corner: Tensor
    beside: Tensor | None = None
    right: Tensor | None = None

    @property
    def width(self) -> int:
        return self.packed.type.shape[1]


def factored(x: Tensor, width: int, right: Tensor | None = None) -> list[Panel]:
    """The panels of a matrix, applied to the columns on its `right` too, if there are any.

    A panel waits for the last one's rows of all strips, so it is factored when the last but one has
    been applied to all: none lags far behind, and few panels are held at a time.
    """
    rest, made = strips_of(x, width), list[Panel]()
    sides = None if right is None else strips_of(right, width)
    for run in panels_of(min(x.type.shape), width):
        panel = _factored(rest, run.stop - run.start, made[-1:])
        if run.stop < x.type.shape[1]:
            beside = _upper_rows(panel, rest, panel.width, width)
            rest = _less_panel(panel, rest, beside, panel.width, width)
            panel = panel._replace(beside=beside)
        if sides is not None:
            own = _upper_rows(panel, sides, 0, width)
            sides = _less_panel(panel, sides, own, 0, width)
            panel = panel._replace(right=own)
        made.append(panel)
    return made


def strips_of(x: Tensor, width: int) -> Tensor:
    """A matrix held in strips of columns: each of its cells is made or read once."""
    return _copied(x, x.type.shape, width)


def _factored(rest: Tensor, width: int, last: list[Panel]) -> Panel:
    """The panel of the first columns, which waits for rows of the last one, if there is one."""
    panel, rows = columns_of(rest, 0, width), rest.type.shape[0]
    awaited = [one for panel in last for one in (panel.beside, panel.right) if one is not None]
    waits = [(rows_of(one, 0, 1), d) for one, d in zip(awaited, AWAITED, strict=False)]
    made = {"pn": panel.type.dtype, "p": PLACES}
    packed, order = panel_factors("lupanel", [(panel, "pn"), *waits], made, ("pnn", 1.0), 0.5)
    corner = packed if rows == width else _copied(packed, (width, width), width)
    return Panel(packed, spread(order), corner)


def _upper_rows(panel: Panel, rest: Tensor, skipped: int, width: int) -> Tensor:
    """The rows that come to the place of a panel's corner, solved for its lower triangle.

    The first columns are skipped.
    """
    rows, columns = rest.type.shape
    parts = [Part(panel.corner, "nn"), Part(panel.order, "p", (0,)), Part(rest, "pk", (0, skipped))]
    sides = {"p": rows, "n": panel.width, "k": columns - skipped}
    made = "nk", rest.type.dtype
    return panel_tiles("luupper", parts, made, ("nnk", 1.0), sides, {"k": width})


def _less_panel(panel: Panel, rest: Tensor, upper: Tensor, skipped: int, width: int) -> Tensor:
    """The rows below these, without what the panel makes zero of them."""
    rows, columns = rest.type.shape
    parts = [
        Part(panel.packed, "pn"),
        Part(panel.order, "p", (0,)),
        Part(upper, "nk"),
        Part(rest, "pk", (0, skipped)),
    ]
    sides = {"p": rows, "m": rows - panel.width, "n": panel.width, "k": columns - skipped}
    made, work = ("mk", rest.type.dtype), ("mnk", 2 * PRODUCT)
    return panel_tiles("lustrip", parts, made, work, sides, {"k": width})


def _copied(x: Tensor, shape: tuple[int, ...], width: int) -> Tensor:
    """Some of the first rows and columns, held in strips of their own."""
    sides = dict(zip("nk", shape, strict=True))
    made = "nk", x.type.dtype
    return panel_tiles("copied", [Part(x, "nk")], made, ("nk", 1.0), sides, {"k": width})


def lu_by_panels(x: Tensor, width: int) -> Tensor:
    """Both triangles in one matrix, and two columns of digits of the order of rows."""
    panels = factored(x, width)
    orders = [panel.order for panel in panels]
    order = _of_orders("composedorder", orders, (LETTERS[0], PLACES))
    digits = [elementwise(name, order, ROWS_A_DIGIT) for name in ("floor_divide", "remainder")]
    packed = _side_by_side(panels)
    return side_by_side([packed, stack([astype(d, x.type.dtype) for d in digits], 1)])


def _side_by_side(panels: list[Panel]) -> Tensor:
    """Both triangles, with rows in the order of the last panel: each panel beside what is behind."""
    made: Tensor | None = None
    for number, panel in reversed(list(enumerate(panels))):
        later = [one.order for one in panels[number + 1 :]]
        behind = [one for one in (panel.beside, made) if one is not None]
        columns = [_in_last_order(panel.packed, later)]
        made = side_by_side([*columns, stacked(behind)] if behind else columns)
    assert made is not None
    return made


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
    panels, solved = factored(a, width, b), list[Tensor]()
    rows = [Part(panel.right, "hk") for panel in panels if panel.right is not None]
    for number, panel in reversed(list(enumerate(panels))):
        known = Part(rows[-1].matrix, "mk", rows[-1].first)
        solved.append(solved_rows(Part(panel.corner, "mm"), known, panel.width, width, lower=False))
        if number:
            rows = _without(solved[-1], panels[:number], rows[:-1], width)
    return stacked(solved[::-1])


def _without(solved: Tensor, panels: list[Panel], rows: list[Part], width: int) -> list[Part]:
    """The right sides of panels, each without its product with what is solved."""
    beside = [
        Part(panel.beside, "hn", (0, (len(panels) - 1 - number) * width))
        for number, panel in enumerate(panels)
        if panel.beside is not None
    ]
    sides = {"m": len(panels) * width, "h": width}
    made = less_solved(solved, beside, rows, sides, width)
    return [Part(made, "hk", (number * width, 0)) for number in range(len(panels))]


def inverse_by_panels(a: Tensor, width: int) -> Tensor:
    """The inverse: what solves equations with a unit matrix."""
    side = a.type.shape[0]
    return solve_by_panels(a, unit_matrix(side, side, a.type.dtype), width)


def determinant_by_panels(a: Tensor, width: int) -> Tensor:
    """The product of the diagonal, with the sign of the order of rows."""
    cells, sign = _diagonal(factored(a, width))
    return elementwise("multiply", reduce(cells, "prod"), astype(sign, a.type.dtype))


def sign_and_logarithm_by_panels(a: Tensor, width: int) -> Tensor:
    """The sign of the determinant, and the logarithm of its modulus, in one vector."""
    cells, exchanged = _diagonal(factored(a, width))
    sign = elementwise("multiply", reduce(elementwise("sign", cells), "prod"), exchanged)
    logarithm = reduce(elementwise("log", elementwise("absolute", cells)), "sum")
    return stack([astype(one, a.type.dtype) for one in (sign, logarithm)], 0)


def _diagonal(panels: list[Panel]) -> tuple[Tensor, Tensor]:
    """The diagonal of the upper triangle, and the sign of the order of rows."""
    cells = concat_nonempty([spread(diagonal(panel.packed)) for panel in panels], 0)
    orders = [panel.order for panel in panels]
    return cells, _of_orders("signoforders", orders, ("", np.dtype(np.int8)))


def _of_orders(kernel: str, orders: list[Tensor], made: tuple[str, np.dtype[Any]]) -> Tensor:
    """A kernel of all orders of rows."""
    return panel_step(kernel, list(zip(orders, LETTERS, strict=False)), made, (LETTERS[0], 100.0))
