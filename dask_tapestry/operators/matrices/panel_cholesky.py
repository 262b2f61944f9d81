"""Cholesky of matrices larger than a worker: the triangle, in panels of columns.

No pivots are sought, so a panel need not be whole: it is cut into tiles, as high as it is wide. A
tile is made once, of the matrix's and of the tiles of the panels before it: so cells above the
diagonal are neither read nor held, and tiles wait for no others than those that they are made of.
All are cut alike, so none sends a part of itself. The products with the last panel before it are a
step apart: what they need of others is made while that panel is. Those with the panels before that
are subtracted a few at a time, so that a tile waits with few others in memory, however many there
are.

Source: Dongarra, Duff, Sorensen, van der Vorst, "Numerical Linear Algebra for High-Performance
Computers", SIAM, 1998, chapter 5: the left-looking algorithm.
"""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_letters
from typing import Final, NamedTuple

from dask_tapestry.operators.matrices.panel_step import Part, panel_tiles
from dask_tapestry.operators.matrices.panels import (
    adjoint,
    panels_of,
    side_by_side,
    stacked,
    zeros,
)
from dask_tapestry.operators.tuning import MOST_PRODUCTS, PRODUCT
from dask_tapestry.teg import Tensor

LETTERS: Final = ascii_letters.replace("m", "").replace("n", "")  # of the columns of panels


class Below(NamedTuple):
    """What lies below the corner of a panel, and which of the matrix's rows is its first."""

    cells: Tensor
    first: int

    def rows(self, letters: str, start: int) -> Part:
        """Its rows from that of a number on."""
        return Part(self.cells, letters, (start - self.first, 0))


def cholesky_by_panels(x: Tensor, width: int, upper: bool = False) -> Tensor:
    """The triangle of which the product with its adjoint is `x`; as `numpy.linalg.cholesky`.

    No cells of the other half are looked at.
    """
    side, lower = x.type.shape[0], adjoint(x) if upper else x
    full, known = list[Tensor](), list[Below]()
    for run in panels_of(side, width):
        before, across = known[:-1], known[-1:]
        corner = _corner(_less_squares(lower, run, before), run, across)
        panel = [zeros((run.start, run.stop - run.start), x.type.dtype), corner]
        if run.stop < side:
            cells = _less_products(lower, run, before, width)
            known.append(Below(_below(corner, cells, run, across, width, side), run.stop))
            panel.append(known[-1].cells)
        full.append(stacked(panel))
    return adjoint(side_by_side(full)) if upper else side_by_side(full)


def _less_squares(x: Tensor, run: slice, known: Sequence[Below]) -> Part:
    """The lower half of a corner, without products of rows with their adjoints."""
    cells, width = Part(x, "mm", (run.start, run.start)), run.stop - run.start
    for some in _by_turns(known):
        parts = [cells, *_squares(some, run.start)]
        work = "mmm", PRODUCT * len(some)
        sides = {"m": width, **_widths(some)}
        made = "mm", x.type.dtype
        cells = Part(panel_tiles("lesssquares", parts, made, work, sides, {}), "mm")
    return cells


def _less_products(x: Tensor, run: slice, known: Sequence[Below], height: int) -> Part:
    """What lies below a corner, without products of panels."""
    cells, side = Part(x, "mn", (run.stop, run.start)), x.type.shape[0]
    for some in _by_turns(known):
        parts = [cells, *_products(some, run)]
        sides = _sides(side, run, some)
        work = "mnn", 2 * PRODUCT * len(some)
        made = "mn", x.type.dtype
        cells = Part(panel_tiles("lessproducts", parts, made, work, sides, {"m": height}), "mn")
    return cells


def _corner(cells: Part, run: slice, across: Sequence[Below]) -> Tensor:
    """The triangle of a square, less the products of rows with their adjoints."""
    parts = [cells, *_squares(across, run.start)]
    sides = {"m": run.stop - run.start, **_widths(across)}
    work = "mmm", 1 / 3 + PRODUCT * len(across)
    return panel_tiles("choleskycorner", parts, ("mm", cells.matrix.type.dtype), work, sides, {})


def _below(
    corner: Tensor, cells: Part, run: slice, across: Sequence[Below], height: int, side: int
) -> Tensor:
    """What lies below a corner, less products of rows, times the inverse of its adjoint."""
    parts = [Part(corner, "nn"), cells, *_products(across, run)]
    sides, made = _sides(side, run, across), ("mn", corner.type.dtype)
    work = "mnn", 1 + 2 * PRODUCT * len(across)
    return panel_tiles("choleskybelow", parts, made, work, sides, {"m": height})


def _by_turns(known: Sequence[Below]) -> list[Sequence[Below]]:
    """Panels, a few at a time."""
    return [known[begin : begin + MOST_PRODUCTS] for begin in range(0, len(known), MOST_PRODUCTS)]


def _squares(known: Sequence[Below], start: int) -> list[Part]:
    """Rows of panels from that of a number on."""
    pairs = zip(known, LETTERS[: len(known)], strict=True)
    return [rows.rows(f"m{k}", start) for rows, k in pairs]


def _products(known: Sequence[Below], run: slice) -> list[Part]:
    """Rows of panels below a corner, each before those beside it."""
    pairs = zip(known, LETTERS[: len(known)], strict=True)
    both = [(rows.rows(f"m{k}", run.stop), rows.rows(f"n{k}", run.start)) for rows, k in pairs]
    return [part for pair in both for part in pair]


def _sides(side: int, run: slice, known: Sequence[Below]) -> dict[str, int]:
    return {"m": side - run.stop, "n": run.stop - run.start, **_widths(known)}


def _widths(known: Sequence[Below]) -> dict[str, int]:
    pairs = zip(known, LETTERS[: len(known)], strict=True)
    return {k: rows.cells.type.shape[1] for rows, k in pairs}
