"""Cholesky of matrices larger than a worker: the triangle, in panels of columns.

No pivots are sought, so a panel need not be whole: it is cut into tiles, as high as it is wide. A
tile is made once, of the matrix's and of the tiles of all panels before it: so cells above the
diagonal are neither read nor held, a tile never takes the place of an earlier one, and tiles wait
for no others than those that they are made of. All are cut alike, so none sends a part of itself.

Source: Dongarra, Duff, Sorensen, van der Vorst, "Numerical Linear Algebra for High-Performance
Computers", SIAM, 1998, chapter 5: the left-looking algorithm.
"""

from __future__ import annotations

from string import ascii_letters
from typing import Final

from dask_tapestry.operators.matrices.panel_step import panel_tiles
from dask_tapestry.operators.matrices.panels import (
    adjoint,
    columns_of,
    panels_of,
    rows_of,
    side_by_side,
    stacked,
    zeros,
)
from dask_tapestry.teg import Tensor

LETTERS: Final = ascii_letters.replace("m", "").replace("n", "")  # of the columns of panels
PRODUCT: Final = 1 / 3  # of what LAPACK takes for an operation: BLAS takes less


def cholesky_by_panels(x: Tensor, width: int, upper: bool = False) -> Tensor:
    """The triangle of which the product with its adjoint is `x`; as `numpy.linalg.cholesky`.

    No cells of the other half are looked at.
    """
    side, lower = x.type.shape[0], adjoint(x) if upper else x
    panels, tails = list[Tensor](), list[Tensor]()  # tails are what lies below panels' corners
    for run in panels_of(side, width):
        columns = columns_of(lower, run.start, run.stop)
        across = [_rows(tail, side, run.start, run.stop) for tail in tails]
        corner = _corner(rows_of(columns, run.start, run.stop), across)
        parts = [zeros((run.start, run.stop - run.start), x.type.dtype), corner]
        if run.stop < side:
            rest = [_rows(tail, side, run.stop, side) for tail in tails]
            below = rows_of(columns, run.stop, None)
            tails.append(_below(corner, below, rest, across, width))
            parts.append(tails[-1])
        panels.append(stacked(parts))
    return adjoint(side_by_side(panels)) if upper else side_by_side(panels)


def _rows(tail: Tensor, side: int, start: int, stop: int) -> Tensor:
    """The rows of a tail that have these numbers in the matrix."""
    above = side - tail.type.shape[0]
    return rows_of(tail, start - above, stop - above)


def _corner(x: Tensor, across: list[Tensor]) -> Tensor:
    """The triangle of a square less the products of rows with their adjoints."""
    parts = [(x, "mm"), *[(rows, f"m{k}") for rows, k in zip(across, LETTERS, strict=False)]]
    work = "mmm", 1 / 3 + PRODUCT * len(across)
    return panel_tiles("choleskycorner", parts, ("mm", x.type.dtype), work)


def _below(
    corner: Tensor, x: Tensor, beside: list[Tensor], across: list[Tensor], height: int
) -> Tensor:
    """Rows `x` less products of rows, times the inverse of the corner's adjoint."""
    parts = [(corner, "nn"), (x, "mn")]
    for left, right, k in zip(beside, across, LETTERS, strict=False):
        parts += [(left, f"m{k}"), (right, f"n{k}")]
    work = "mnn", 1 + 2 * PRODUCT * len(across)
    return panel_tiles("choleskybelow", parts, ("mn", x.type.dtype), work, {"m": height})
