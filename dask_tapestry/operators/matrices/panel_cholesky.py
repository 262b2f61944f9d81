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
        cells, first = _without_products(lower, run, known[:-1], width)
        across = known[-1:]
        corner = _corner(cells, (run.start - first, run.start - first), run, across)
        panel = [zeros((run.start, run.stop - run.start), x.type.dtype), corner]
        if run.stop < side:
            place = run.stop - first, run.start - first
            known.append(Below(_below(corner, cells, place, run, across, width), run.stop))
            panel.append(known[-1].cells)
        full.append(stacked(panel))
    return adjoint(side_by_side(full)) if upper else side_by_side(full)


def _without_products(
    x: Tensor, run: slice, known: Sequence[Below], height: int
) -> tuple[Tensor, int]:
    """The columns of a panel from its corner on, without products of panels, if there are some.

    With the number of the first row and column of what is returned.
    """
    cells, first = x, 0
    for begin in range(0, len(known), MOST_PRODUCTS):
        some = known[begin : begin + MOST_PRODUCTS]
        place = run.start - first, run.start - first
        parts = [Part(cells, "mn", place), *_products(some, run.start, run.start)]
        sides = _sides(x.type.shape[0] - run.start, run, some)
        work = "mnn", 2 * PRODUCT * len(some)
        cells = panel_tiles("lessproducts", parts, ("mn", x.type.dtype), work, sides, {"m": height})
        first = run.start
    return cells, first


def _corner(x: Tensor, place: tuple[int, int], run: slice, across: Sequence[Below]) -> Tensor:
    """The triangle of a square, less the products of rows with their adjoints."""
    width = run.stop - run.start
    pairs = zip(across, LETTERS[: len(across)], strict=True)
    parts = [Part(x, "mm", place), *[rows.rows(f"m{k}", run.start) for rows, k in pairs]]
    sides = {"m": width, **_widths(across)}
    work = "mmm", 1 / 3 + PRODUCT * len(across)
    return panel_tiles("choleskycorner", parts, ("mm", x.type.dtype), work, sides, {})


def _below(
    corner: Tensor,
    x: Tensor,
    place: tuple[int, int],
    run: slice,
    across: Sequence[Below],
    height: int,
) -> Tensor:
    """What lies below a corner, less products of rows, times the inverse of its adjoint."""
    parts = [Part(corner, "nn"), Part(x, "mn", place), *_products(across, run.stop, run.start)]
    sides = _sides(x.type.shape[0] - place[0], run, across)
    work = "mnn", 1 + 2 * PRODUCT * len(across)
    return panel_tiles("choleskybelow", parts, ("mn", x.type.dtype), work, sides, {"m": height})


def _products(known: Sequence[Below], start: int, corner: int) -> list[Part]:
    """Rows of panels from that of a number on, each before those beside the corner."""
    pairs = zip(known, LETTERS[: len(known)], strict=True)
    both = [(rows.rows(f"m{k}", start), rows.rows(f"n{k}", corner)) for rows, k in pairs]
    return [part for pair in both for part in pair]


def _sides(rows: int, run: slice, known: Sequence[Below]) -> dict[str, int]:
    return {"m": rows, "n": run.stop - run.start, **_widths(known)}


def _widths(known: Sequence[Below]) -> dict[str, int]:
    pairs = zip(known, LETTERS[: len(known)], strict=True)
    return {k: rows.cells.type.shape[1] for rows, k in pairs}
