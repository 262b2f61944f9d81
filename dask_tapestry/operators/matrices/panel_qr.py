"""QR of matrices larger than a worker, in panels of columns: orthonormal ones, a triangle.

Reflections of a panel are LAPACK's, made in one block, and applied to strips of others as products.
Orthonormal columns are made from the last panel to the first, each time those of the panel and
those behind it: so they grow by the rows and columns of a panel, whose reflections end there.
"""

from __future__ import annotations

from typing import Final

from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.joins.diagonal import is_below_diagonal, with_zeros
from dask_tapestry.operators.matrices.panel_step import Part, panel_tiles
from dask_tapestry.operators.matrices.panel_strips import Factorization, Panel, factored
from dask_tapestry.operators.matrices.panels import (
    rows_of,
    side_by_side,
    stacked,
    unit_matrix,
    zeros,
)
from dask_tapestry.operators.tuning import PRODUCT
from dask_tapestry.teg import Tensor

SQUARES: Final = 3.0  # as wide as a panel, that applying reflections takes
QR: Final = Factorization("qrpanel", ("nn", None), "qrstrip", 4.0, 4 * PRODUCT, 1.5, SQUARES)


def qr_by_panels(x: Tensor, width: int) -> Tensor:
    """``[Q, R]``, one below the other, or side by side where rows are fewer than columns."""
    rows, columns = x.type.shape
    panels, behind, _ = factored(x, width, QR, is_read_later=True)
    q, r = _columns(panels, width), _triangle(panels, behind)
    return stacked([q, r]) if rows >= columns else side_by_side([q, r])


def triangle_by_panels(x: Tensor, width: int) -> Tensor:
    """The factor R alone."""
    panels, behind, _ = factored(x, width, QR)
    return _triangle(panels, behind)


def _columns(panels: list[Panel], width: int) -> Tensor:
    """The orthonormal columns: reflections of those of a unit matrix, the last ones first."""
    q: Tensor | None = None
    for panel in reversed(panels):
        q = _reflected(panel, q, width)
    assert q is not None
    return q


def _reflected(panel: Panel, behind: Tensor | None, width: int) -> Tensor:
    """The columns of a panel and those behind it, from its first row on.

    Before, a panel's own columns are those of a unit matrix, and the others zero in its rows.
    """
    (rows, own), dtype = panel.packed.type.shape, panel.packed.type.dtype
    below, columns = rows - own, own + (0 if behind is None else behind.type.shape[1])
    parts = [
        Part(panel.packed, "pn"),
        Part(panel.other, "nn"),
        Part(unit_matrix(own, columns, dtype), "nk"),
    ]
    sides = {"p": rows, "n": own, "m": below, "k": columns}
    if below:
        new = zeros((below, own), dtype)
        parts.append(Part(new if behind is None else side_by_side([new, behind]), "mk"))
    taken = SQUARES * own / rows
    work = ("pnk", 4 * PRODUCT)
    return panel_tiles("reflectedcolumns", parts, ("pk", dtype), work, sides, {"k": width}, taken)


def _triangle(panels: list[Panel], behind: Tensor | None) -> Tensor:
    """The factor R."""
    side = panels[-1].run.stop
    columns = [_triangle_of(panel, side) for panel in panels]
    return side_by_side(columns + ([] if behind is None else [rows_of(behind, None, side)]))


def _triangle_of(panel: Panel, side: int) -> Tensor:
    """The columns of R that are a panel's."""
    own = panel.run.stop - panel.run.start
    corner = rows_of(panel.corner, None, own)
    is_upper = elementwise("logical_not", is_below_diagonal(corner.type.shape, -1))
    below = zeros((side - panel.run.stop, own), corner.type.dtype)
    parts = [panel.above, with_zeros(is_upper, corner), below]
    return stacked([one for one in parts if one is not None and one.type.shape[0]])
