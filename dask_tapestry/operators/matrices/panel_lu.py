"""LU of matrices larger than a worker, in panels of columns, with partial pivoting.

A panel is whole in one block, so that its pivots are those of LAPACK but for rounding. It is
applied to strips of the columns behind it, as wide as panels are and whole too: a strip takes the
place of the one that it is made of, on the same worker, and its rows above the panel stay in it
until it is the next panel. So a stored cell is read once, and of what panels are factored into the
upper triangle alone is held, where the lower one is not asked for. The strip that is the next panel
comes first: it is factored while the last panel is applied to the others.

Source: Dongarra, Duff, Sorensen, van der Vorst, "Numerical Linear Algebra for High-Performance
Computers", SIAM, 1998, chapter 5: the right-looking algorithm.
"""

from __future__ import annotations

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
from dask_tapestry.operators.matrices.panel_triangle import (
    TriangleColumns,
    solved_by_columns,
    tiles_of,
)
from dask_tapestry.operators.matrices.panels import (
    columns_of,
    panels_of,
    rows_of,
    side_by_side,
    stacked,
    unit_matrix,
)
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.tuning import PRODUCT, SQUARES_ABOVE
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.parameters.row_orders import ROWS_A_DIGIT

PLACES = np.dtype(np.int64)
AWAITED: Final = ("ab", "cd", "ef", "gh")  # letters of the dimensions of what a panel waits for
# Of orders, one for each panel
LETTERS: Final = "".join(sorted({*filter(str.isalpha, map(chr, range(0x41, 0x180)))} - {*"np"}))


class Panel(NamedTuple):
    """A panel that has been factored.

    Attributes
    ----------
    run
        Numbers of its columns.
    packed
        Both triangles, with rows in their `order`: which row has come to each place.
    corner
        The square of both triangles, in a block of its own.
    above
        Its rows above the corner, if there are any.
    """

    run: slice
    packed: Tensor
    order: Tensor
    corner: Tensor
    above: Tensor | None


class Strips(NamedTuple):
    """Columns that panels are applied to, in strips as wide as panels.

    Attributes
    ----------
    cells
        The columns.
    tokens
        A cell of each column that the next panel has not, if there are some, in blocks of their
        own. The next version of each strip waits for its token, and a panel for all of them: so who
        waits for all strips reads none of them, which would keep it beside its next version.
    """

    cells: Tensor
    tokens: Tensor | None = None

    @classmethod
    def marked(cls, cells: Tensor, first: int, width: int) -> Strips:
        """Those of a version, with tokens of the columns from a number on."""
        columns = cells.type.shape[1] - first
        if not columns:
            return cls(cells)
        sides, made = {"m": 1, "k": columns}, ("mk", cells.type.dtype)
        part, work = Part(cells, "mk", (0, first)), ("mk", 1.0)
        return cls(cells, panel_tiles("copied", [part], made, work, sides, {"k": width}))


def factored(
    x: Tensor, width: int, right: Tensor | None = None, keep_orders: bool = True
) -> tuple[list[Panel], Tensor | None, Tensor | None]:
    """The panels of a matrix, its columns behind the last one, and those on the `right` of it.

    The panels have been applied to all of these. One is factored as soon as the last one has been
    applied to its strip, and the one before that to all: so workers apply a panel while the next
    one is made, none lags behind by more than that, and few panels are held at a time.
    Orders of rows that strips alone read come with the panels; the others are kept beside them.
    """
    rest: Strips | None = Strips(_strips(x, x.type.shape, width))
    others = None if right is None else Strips(_strips(right, right.type.shape, width))
    panels, last, awaited = list[Panel](), list[Tensor](), list[Tensor]()
    runs = panels_of(min(x.type.shape), width)
    widths = [run.stop - run.start for run in runs]
    for run, own, following in zip(runs, widths, [*widths[1:], 0], strict=True):
        assert rest is not None
        panels.append(_factored(rest.cells, run, awaited, keep_orders))
        has_more = rest.cells.type.shape[1] > own
        rest = _applied(panels[-1], rest, own, following, width) if has_more else None
        others = None if others is None else _applied(panels[-1], others, 0, 0, width)
        awaited, last = last, [*_tokens(rest, others), rows_of(panels[-1].corner, 0, 1)]
    return panels, _cells(rest), _cells(others)


def _tokens(*strips: Strips | None) -> list[Tensor]:
    return [one.tokens for one in strips if one is not None and one.tokens is not None]


def _cells(strips: Strips | None) -> Tensor | None:
    return None if strips is None else strips.cells


def _factored(strips: Tensor, run: slice, awaited: list[Tensor], keep_order: bool) -> Panel:
    """The panel of the first columns."""
    width, rows = run.stop - run.start, strips.type.shape[0] - run.start
    panel = columns_of(rows_of(strips, run.start, None), 0, width)
    above = _rows_above(strips, run) if run.start else None
    waits = [*awaited, *[columns_of(one, 0, 1) for one in (above,) if one is not None]]
    parts = [(panel, "pn"), *zip(waits, AWAITED, strict=False)]
    made = {"pn": panel.type.dtype, "p": PLACES}
    packed, order = panel_factors("lupanel", parts, made, ("pnn", 1.0), 0.5)
    corner = packed if rows == width else _strips(packed, (width, width), width)
    return Panel(run, packed, spread(order) if keep_order else order, corner, above)


def _applied(panel: Panel, strips: Strips, skipped: int, following: int, width: int) -> Strips:
    """Strips to which a panel is applied, but for the first columns, which are skipped.

    Of what is returned so many columns are the `following` panel's.
    """
    (rows, columns), (height, own) = strips.cells.type.shape, panel.packed.type.shape
    parts = [
        Part(panel.packed, "pn"),
        Part(panel.order, "p", (0,)),
        Part(strips.cells, "mk", (0, skipped)),
        *[Part(tokens, "tk") for tokens in _tokens(strips)],
    ]
    sides = {"m": rows, "p": height, "n": own, "k": columns - skipped, "t": 1}
    made, work = ("mk", strips.cells.type.dtype), ("pnk", 2 * PRODUCT)
    cells = panel_tiles("lustrip", parts, made, work, sides, {"k": width})
    return Strips.marked(cells, following, width)


def _strips(x: Tensor, shape: tuple[int, ...], width: int) -> Tensor:
    """The first rows and columns of a matrix, held in strips of their own."""
    sides, made = dict(zip("mk", shape, strict=True)), ("mk", x.type.dtype)
    return panel_tiles("copied", [Part(x, "mk")], made, ("mk", 1.0), sides, {"k": width})


def _rows_above(strips: Tensor, run: slice) -> Tensor:
    """The rows above the corner of a panel, in blocks of its own, for several workers to hold."""
    width = run.stop - run.start
    sides, tiles, made = (
        {"m": run.start, "k": width},
        {"m": SQUARES_ABOVE * width},
        strips.type.dtype,
    )
    return panel_tiles("copied", [Part(strips, "mk")], ("mk", made), ("mk", 1.0), sides, tiles)


def lu_by_panels(x: Tensor, width: int) -> Tensor:
    """Both triangles in one matrix, and two columns of digits of the order of rows."""
    panels, behind, _ = factored(x, width)
    orders = [panel.order for panel in panels]
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
    named = _named(orders)
    parts = [Part(packed, "pn"), *[Part(order, d, (0,)) for order, d in named]]
    lengths = {d: order.type.shape[0] for order, d in named}
    sides = {**dict(zip("pn", packed.type.shape, strict=True)), **lengths}
    return panel_tiles("inlastorder", parts, ("pn", packed.type.dtype), ("pn", 1.0), sides, {})


def solve_by_panels(a: Tensor, b: Tensor, width: int) -> Tensor:
    """The x with ``a @ x = b``: what is done to the columns of `a` is done to those of `b`."""
    panels, _, right = factored(a, width, b, keep_orders=False)
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
    cells, sign = _diagonal(factored(a, width)[0])
    return elementwise("multiply", reduce(cells, "prod"), astype(sign, a.type.dtype))


def sign_and_logarithm_by_panels(a: Tensor, width: int) -> Tensor:
    """The sign of the determinant, and the logarithm of its modulus, in one vector."""
    cells, exchanged = _diagonal(factored(a, width)[0])
    sign = elementwise("multiply", reduce(elementwise("sign", cells), "prod"), exchanged)
    logarithm = reduce(elementwise("log", elementwise("absolute", cells)), "sum")
    return stack([astype(one, a.type.dtype) for one in (sign, logarithm)], 0)


def _diagonal(panels: list[Panel]) -> tuple[Tensor, Tensor]:
    """The diagonal of the upper triangle, and the sign of the order of rows."""
    cells = concat_nonempty([spread(diagonal(panel.corner)) for panel in panels], 0)
    orders = [panel.order for panel in panels]
    return cells, _of_orders("signoforders", orders, ("", np.dtype(np.int8)))


def _of_orders(kernel: str, orders: list[Tensor], made: tuple[str, np.dtype[Any]]) -> Tensor:
    """A kernel of all orders of rows."""
    return panel_step(kernel, _named(orders), made, (LETTERS[0], 100.0))


def _named(orders: list[Tensor]) -> list[tuple[Tensor, str]]:
    """Orders, each with the letter of its dimension."""
    return list(zip(orders, LETTERS[: len(orders)], strict=True))
