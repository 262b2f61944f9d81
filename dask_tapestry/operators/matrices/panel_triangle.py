"""Equations with triangles larger than a worker, in panels of columns.

What is solved is taken out of the rows that are not: of those one version is held, in tiles that
lie as those of the last one. So each cell of the triangle is read once for as many columns of the
right side as a panel has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dask_tapestry.operators.cells.elementwise import astype
from dask_tapestry.operators.matrices.panel_step import Part, panel_tiles
from dask_tapestry.operators.matrices.panels import panels_of, stacked
from dask_tapestry.operators.tuning import PRODUCT
from dask_tapestry.teg import Tensor


class TriangleColumns(NamedTuple):
    """Some columns of a triangle.

    Attributes
    ----------
    run
        Their numbers.
    corner
        Their square on the diagonal.
    others
        What lies below it of a lower triangle, above it of an upper one; only looked at where
        there is some.
    """

    run: slice
    corner: Part
    others: Part


def solve_triangle_by_panels(a: Tensor, b: Tensor, width: int, lower: bool) -> Tensor:
    """The x with ``a @ x = b`` for a triangle `a`, of which the other half is not looked at."""
    columns = [
        TriangleColumns(
            run,
            Part(a, "mm", (run.start, run.start)),
            Part(a, "mn", (run.stop if lower else 0, run.start)),
        )
        for run in panels_of(a.type.shape[0], width)
    ]
    x = astype(b, np.result_type(a.type.dtype, b.type.dtype))
    return solved_by_columns(columns, x, lower, tiles_of(x, width, width))


def tiles_of(right: Tensor, rows: int, width: int) -> dict[str, int]:
    """Tiles of right sides: strips as wide as a panel, or of so many rows where they are no wider.

    Never along both, so that blocks of each version take the place of those of the last.
    """
    return {"k": width} if right.type.shape[1] > width else {"m": rows}


def solved_by_columns(
    columns: list[TriangleColumns], b: Tensor, lower: bool, tiles: Mapping[str, int]
) -> Tensor:
    """The x with ``a @ x = b`` for a triangle in columns, by `tiles` of right sides."""
    solved, side = list[Tensor](), b.type.shape[0]
    rest, first = b, 0
    for run, corner, others in columns if lower else reversed(columns):
        rows = Part(rest, "mk", (run.start - first, 0))
        solved.append(_solved(corner, rows, run.stop - run.start, tiles, lower))
        behind = slice(run.stop, side) if lower else slice(0, run.start)
        if behind.stop > behind.start:
            rows = Part(rest, "mk", (behind.start - first, 0))
            rest = _less_solved(solved[-1], others, rows, behind.stop - behind.start, tiles)
            first = behind.start
    return stacked(solved if lower else solved[::-1])


def _solved(corner: Part, rows: Part, count: int, tiles: Mapping[str, int], lower: bool) -> Tensor:
    """So many rows of x, which are not cut."""
    columns, dtype = rows.matrix.type.shape[1], rows.matrix.type.dtype
    sides, made, work = {"m": count, "k": columns}, ("mk", dtype), ("mmk", 1.0)
    cut = {d: length for d, length in tiles.items() if d == "k"}
    return panel_tiles("solvetriangle", [corner, rows], made, work, sides, cut, lower=lower)


def _less_solved(
    solved: Tensor, others: Part, rows: Part, count: int, tiles: Mapping[str, int]
) -> Tensor:
    """So many rows without the products of other cells of the triangle with what is solved."""
    (own, columns), dtype = solved.type.shape, solved.type.dtype
    parts = [Part(solved, "nk"), others, rows]
    sides, work = {"m": count, "n": own, "k": columns}, ("mnk", 2 * PRODUCT)
    return panel_tiles("lesssolved", parts, ("mk", dtype), work, sides, tiles)
