"""QR of matrices larger than a worker, in panels of columns: orthonormal ones, a triangle.

Reflections of a panel are LAPACK's, made in one block, and applied to strips of columns as
products. Strips are as wide as panels are and whole, and all versions of the matrix are cut alike:
a strip is freed when the next one has been made of it. As in LAPACK what a panel is factored into
takes its place, and orthonormal columns take that of reflections: so little more is held than the
matrix.

Source: Dongarra, Duff, Sorensen, van der Vorst, "Numerical Linear Algebra for High-Performance
Computers", SIAM, 1998, chapter 5: the right-looking algorithms.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.joins.diagonal import is_below_diagonal, with_zeros
from dask_tapestry.operators.matrices.panel_step import Part, panel_factors, panel_tiles, spread
from dask_tapestry.operators.matrices.panels import (
    Factors,
    columns_of,
    numbers_from,
    panels_of,
    rows_of,
    side_by_side,
    stacked,
    zeros,
)
from dask_tapestry.operators.tuning import (
    PRODUCT,
    REFLECTION_COPIES,
    REFLECTION_FLOPS,
    REFLECTION_SQUARES,
    SQUARES_BESIDE,
)
from dask_tapestry.teg import Tensor

AWAITED: Final = ("ab", "cd", "ef")  # letters of the dimensions of what a panel waits for
FACTOR: Final = "qrpanel"  # the kernel that makes reflections of a panel, and their own triangle


def qr_by_panels(x: Tensor, width: int) -> Tensor:
    """``[Q, R]``, one below the other, or side by side where rows are fewer than columns."""
    rows, columns = x.type.shape
    made = _factored(x, width, keeps=True)
    q, r = _columns(made, width), _joined_rows(made.rows, x.type.shape)
    return stacked([q, r]) if rows >= columns else side_by_side([q, r])


def columns_by_panels(x: Tensor, width: int) -> Tensor:
    """The orthonormal columns alone."""
    return _columns(_factored(x, width), width)


def triangle_by_panels(x: Tensor, width: int) -> Tensor:
    """The factor R alone."""
    return _triangle(_factored(x, width).packed)


def reflections(panel: Tensor, awaited: list[Tensor]) -> Factors:
    """The reflections of a panel and their triangle, made when there are others that it awaits."""
    parts = [(panel, "pn"), *zip(awaited, AWAITED, strict=False)]
    made = dict.fromkeys(("pn", "nn"), panel.type.dtype)
    return panel_factors(FACTOR, parts, made, ("pnn", REFLECTION_FLOPS), REFLECTION_COPIES)


def in_strips(x: Tensor, width: int) -> Tensor:
    """A matrix held in strips of columns."""
    sides, made = dict(zip("mk", x.type.shape, strict=True)), ("mk", x.type.dtype)
    return panel_tiles("copied", [Part(x, "mk")], made, ("mk", 1.0), sides, {"k": width})


class Factored(NamedTuple):
    """A matrix when all panels have been factored and applied.

    Attributes
    ----------
    packed
        R with reflections below it.
    triangles
        Of reflections, one for each panel.
    rows
        Of R, those that each panel makes, from its first column on; none unless they are kept.
    """

    packed: Tensor
    triangles: list[Tensor]
    rows: list[Tensor]


def _factored(x: Tensor, width: int, keeps: bool = False) -> Factored:
    """The panels' factors; with `keeps` rows of R are copied when they are made.

    A panel is factored when the last one has been applied to all strips: so none lags behind, and
    few panels are held at a time. It waits for the triangle too, which is a part of what holds the
    reflections, and for rows that are copied.
    """
    x = in_strips(x, width)
    triangles, kept, awaited = list[Tensor](), list[Tensor](), list[Tensor]()
    for run in panels_of(min(x.type.shape), width):
        panel = columns_of(rows_of(x, run.start, None), run.start, run.stop)
        packed, t = reflections(panel, awaited)
        x = applied("qrstrip", packed, t, x, x.type.shape[1], width)
        triangles.append(spread(t))
        kept += [_rows_made(x, run)] if keeps else []
        awaited = [rows_of(one, 0, 1) for one in (x, triangles[-1], *kept[-1:])]
    return Factored(x, triangles, kept)


def _rows_made(x: Tensor, run: slice) -> Tensor:
    """Rows of R in blocks of their own, so that columns of Q may take the place of the matrix."""
    width = run.stop - run.start
    sides, made = {"m": width, "k": x.type.shape[1] - run.start}, ("mk", x.type.dtype)
    parts, tiles = [Part(x, "mk", (run.start, run.start))], {"k": SQUARES_BESIDE * width}
    return panel_tiles("copied", parts, made, ("mk", 1.0), sides, tiles)


def _joined_rows(rows: list[Tensor], shape: tuple[int, ...]) -> Tensor:
    """The factor R of rows from the diagonal on: in their first square reflections lie below it."""
    joined = list[Tensor]()
    for one in rows:
        height, length = one.type.shape
        before = zeros((height, shape[1] - length), one.type.dtype)
        square, behind = columns_of(one, 0, height), columns_of(one, height, None)
        joined.append(side_by_side([before, _triangle(square), behind]))
    return stacked(joined)


def _columns(made: Factored, width: int) -> Tensor:
    """The orthonormal columns: reflections of those of a unit matrix, the last ones first.

    A panel's are copied when the last ones have been applied to all strips, the first one's when
    all rows of R are copied.
    """
    x, awaited = made.packed, made.rows[-1:]
    side = min(x.type.shape)
    runs = panels_of(side, width)
    for run, t in zip(reversed(runs), reversed(made.triangles), strict=True):
        panel, awaited = _panel_of(x, run, awaited), []
        x = applied("reflectedcolumns", panel, t, x, side, width)
    return x


def _panel_of(x: Tensor, run: slice, awaited: list[Tensor]) -> Tensor:
    """What a panel was factored into, copied when there are all strips of a matrix, and others."""
    waits = [Part(rows_of(one, 0, 1), d) for one, d in zip([x, *awaited], AWAITED, strict=False)]
    sides = {"p": x.type.shape[0] - run.start, "n": run.stop - run.start}
    for part in waits:
        sides |= dict(zip(part.letters, part.matrix.type.shape, strict=True))
    parts, made = [Part(x, "pn", (run.start, run.start)), *waits], ("pn", x.type.dtype)
    return panel_tiles("copied", parts, made, ("pn", 1.0), sides, {})


def applied(kernel: str, packed: Tensor, t: Tensor, x: Tensor, count: int, width: int) -> Tensor:
    """The first `count` columns, some of which a kernel applies reflections to."""
    numbers, rows = numbers_from(0, count), x.type.shape[0]
    parts = [
        Part(packed, "pn"),
        Part(t, "nn"),
        Part(numbers, "k", (0,)),
        Part(x, "mk"),
    ]
    height, own = packed.type.shape
    sides = {"m": rows, "p": height, "n": own, "k": count}
    made, work, taken = ("mk", x.type.dtype), ("pnk", 4 * PRODUCT), REFLECTION_SQUARES * own / rows
    return panel_tiles(kernel, parts, made, work, sides, {"k": width}, taken)


def _triangle(packed: Tensor) -> Tensor:
    """The factor R."""
    rows = rows_of(packed, None, min(packed.type.shape))
    return with_zeros(elementwise("logical_not", is_below_diagonal(rows.type.shape, -1)), rows)
