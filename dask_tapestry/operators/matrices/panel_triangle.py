"""Equations with triangles larger than a worker, in panels of columns.

What is solved is taken out of the rows that are not: of those one version is held, in tiles that
lie as those of the last one. So each cell of the triangle is read once for as many columns of the
right side as a panel has.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.matrices.panel_step import Part, panel_tiles
from dask_tapestry.operators.matrices.panels import panels_of, stacked
from dask_tapestry.operators.tuning import PRODUCT
from dask_tapestry.teg import Tensor


def solve_triangle_by_panels(a: Tensor, b: Tensor, width: int, lower: bool) -> Tensor:
    """The x with ``a @ x = b`` for a triangle `a`, of which the other half is not looked at."""
    rest, first = astype(b, np.result_type(a.type.dtype, b.type.dtype)), 0
    side, solved = a.type.shape[0], list[Tensor]()
    runs = panels_of(side, width)
    for run in runs if lower else reversed(runs):
        corner, rows = Part(a, "mm", (run.start, run.start)), Part(rest, "mk", (run.start - first, 0))
        solved.append(solved_rows(corner, rows, run.stop - run.start, width, lower))
        behind = slice(run.stop, side) if lower else slice(0, run.start)
        if behind.stop > behind.start:
            beside = Part(a, "mn", (behind.start, run.start))
            rows = Part(rest, "mk", (behind.start - first, 0))
            sides = {"m": behind.stop - behind.start}
            rest, first = less_solved(solved[-1], [beside], [rows], sides, width), behind.start
    return stacked(solved if lower else solved[::-1])


def solved_rows(corner: Part, rows: Part, count: int, width: int, lower: bool) -> Tensor:
    """The x with ``corner @ x = rows`` for a triangle, as many columns at a time as a panel has."""
    columns, dtype = rows.matrix.type.shape[1], rows.matrix.type.dtype
    sides = {"m": count, "k": columns}
    made, work = ("mk", dtype), ("mmk", 1.0)
    return panel_tiles("solvetriangle", [corner, rows], made, work, sides, {"k": width}, lower=lower)


def less_solved(
    solved: Tensor,
    beside: Sequence[Part],
    rows: Sequence[Part],
    sides: dict[str, int],
    width: int,
) -> Tensor:
    """Rows without the products of what lies `beside` them with what is solved.

    They are those of all parts, one below the other; what lies beside is as many parts.
    """
    (count, columns), dtype = solved.type.shape, solved.type.dtype
    parts = [Part(solved, "nk"), *beside, *rows]
    lengths = {**sides, "n": count, "k": columns}
    tiles = {"m": width, "k": width} if len(rows) == 1 else {"k": width}
    return panel_tiles("lesssolved", parts, ("mk", dtype), ("mnk", 2 * PRODUCT), lengths, tiles)
