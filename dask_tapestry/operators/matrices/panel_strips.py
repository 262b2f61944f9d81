"""Panels of columns that are whole in one block, applied to strips of the columns behind them.

Strips are as wide as panels are and whole too: a strip takes the place of the one that it is made
of, on the same worker, and its rows above the panel stay in it until it is the next panel. So a
stored cell is read once, and of what panels are factored into no more is held than is asked for.

Source: Dongarra, Duff, Sorensen, van der Vorst, "Numerical Linear Algebra for High-Performance
Computers", SIAM, 1998, chapter 5: the right-looking algorithm.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.operators.matrices.panel_step import Part, panel_factors, panel_tiles, spread
from dask_tapestry.operators.matrices.panels import columns_of, panels_of, rows_of
from dask_tapestry.operators.tuning import SQUARES_ABOVE
from dask_tapestry.teg import Tensor

AWAITED: Final = ("ab", "cd", "ef", "gh")  # letters of the dimensions of what a panel waits for


class Factorization(NamedTuple):
    """How panels are factored and applied.

    Attributes
    ----------
    factor
        Kernel of a panel's block. It returns what takes the panel's place, and another factor.
        Other blocks are only waited for.
    other
        Letters of the other factor's dimensions: p of a panel's rows, n of its columns; and its
        dtype, where it is not the matrix's.
    strip
        Kernel of blocks: of both factors, and of a strip of columns behind the panel, whose last
        rows are the panel's. It returns a new strip.
    flops, products
        Operations of factoring for each row and pair of columns of a panel, and of applying for
        each row and pair of columns of both.
    copies, applied_squares
        Of a panel, which factoring takes besides, and of squares as wide as a panel, which applying
        takes.
    """

    factor: str
    other: tuple[str, np.dtype[Any] | None]
    strip: str
    flops: float
    products: float
    copies: float
    applied_squares: float = 0.0


class Panel(NamedTuple):
    """A panel that has been factored.

    Attributes
    ----------
    run
        Numbers of its columns.
    packed
        What takes its place, from the row on that has the number of its first column.
    other
        The other factor.
    corner
        The square of `packed`, in a block of its own.
    above
        Its rows above the corner, if there are any.
    """

    run: slice
    packed: Tensor
    other: Tensor
    corner: Tensor
    above: Tensor | None

    def copied(self) -> Panel:
        """The same, with copies of both factors."""
        packed = _strips(self.packed, self.packed.type.shape, self.packed.type.shape[1])
        return self._replace(packed=packed, other=spread(self.other))


def factored(
    x: Tensor,
    width: int,
    how: Factorization,
    right: Tensor | None = None,
    *,
    is_read_later: bool = False,
) -> tuple[list[Panel], Tensor | None, Tensor | None]:
    """The panels of a matrix, its columns behind the last one, and those on the `right` of it.

    The panels have been applied to all of these. One is factored when the last one has been applied
    to all strips: so none lags behind, and few panels are held at a time. Where their factors are
    read later, they are copies: what strips were made with lies on all workers until it is freed.
    """
    rest: Tensor | None = _strips(x, x.type.shape, width)
    right = None if right is None else _strips(right, right.type.shape, width)
    panels, awaited = list[Panel](), list[Tensor]()
    for run in panels_of(min(x.type.shape), width):
        assert rest is not None
        panel = _factored(rest, run, awaited, how)
        own = run.stop - run.start
        rest = _applied(panel, rest, own, width, how) if rest.type.shape[1] > own else None
        right = None if right is None else _applied(panel, right, 0, width, how)
        ends = [rest, right, panel.corner]
        if is_read_later:
            panel = panel.copied()
            ends.append(panel.packed)
        panels.append(panel)
        awaited = [rows_of(one, 0, 1) for one in ends if one is not None]
    return panels, rest, right


def _factored(strips: Tensor, run: slice, awaited: list[Tensor], how: Factorization) -> Panel:
    """The panel of the first columns."""
    width, rows = run.stop - run.start, strips.type.shape[0] - run.start
    panel = columns_of(rows_of(strips, run.start, None), 0, width)
    above = _rows_above(strips, run) if run.start else None
    waits = [*awaited, *[columns_of(one, 0, 1) for one in (above,) if one is not None]]
    parts = [(panel, "pn"), *zip(waits, AWAITED, strict=False)]
    letters, dtype = how.other
    made = {"pn": panel.type.dtype, letters: dtype or panel.type.dtype}
    packed, other = panel_factors(how.factor, parts, made, ("pnn", how.flops), how.copies)
    corner = packed if rows == width else _strips(packed, (width, width), width)
    return Panel(run, packed, spread(other), corner, above)


def _applied(panel: Panel, strips: Tensor, skipped: int, width: int, how: Factorization) -> Tensor:
    """Strips to which a panel is applied, but for the first columns, which are skipped."""
    (rows, columns), (height, own) = strips.type.shape, panel.packed.type.shape
    letters, _ = how.other
    parts = [
        Part(panel.packed, "pn"),
        Part(panel.other, letters, (0,) * len(letters)),
        Part(strips, "mk", (0, skipped)),
    ]
    sides = {"m": rows, "p": height, "n": own, "k": columns - skipped}
    made, work = ("mk", strips.type.dtype), ("pnk", how.products)
    taken = how.applied_squares * own / rows
    return panel_tiles(how.strip, parts, made, work, sides, {"k": width}, taken)


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
