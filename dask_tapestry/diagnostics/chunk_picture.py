"""Pictures of chunks: grids of two or three dimensions, side by side in one SVG.

Lengths are nearly those of the dimensions where these differ little, and grow with the logarithm
where they differ much, as in Dask's pictures. Those import all of `dask.array`, for a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import e, log, prod
from typing import NamedTuple

from dask_tapestry.diagnostics.tuning import (
    DEEP_PARTS,
    MOST_CHUNK_CUTS_DRAWN,
    PICTURE_MARGIN_PIXELS,
)
from dask_tapestry.errors import ShapeError

Chunks = tuple[tuple[int, ...], ...]
TEXT = 'font-size="1.0rem" font-weight="100" text-anchor="middle" stroke="none"'


class _Edge(NamedTuple):
    """One dimension of a grid: where it leads to on the picture, and its cuts as parts of it."""

    x: float
    y: float
    cuts: Sequence[float]
    cells: int


def chunk_picture(chunks: Chunks, size: int = 200) -> str:
    """Return the chunks as SVG.

    Parameters
    ----------
    size
        Length of the longest dimension in pixels.

    Raises
    ------
    ShapeError
        Without dimensions or without cells, where there is nothing to draw.

    Examples
    --------
    >>> chunk_picture(((2, 1), (3, 3))).count("<line")
    6
    """
    if not chunks or not prod(map(sum, chunks)):
        raise ShapeError("an array without dimensions or without cells has no picture")
    dims = chunks if len(chunks) % 3 != 1 else ((1,), *chunks)
    shape = [sum(lengths) for lengths in dims]
    pixels = [size / _shortened(max(shape) / n) for n in shape]
    drawn, left, height = [], 0.0, 0.0
    first = len(dims) % 3 or 3
    for begin, end in [(0, first), *((i, i + 3) for i in range(first, len(dims), 3))]:
        grid, wide, high = _grid(dims[begin:end], pixels[begin:end])
        drawn.append(f'<g transform="translate({left:.0f},0)">{grid}</g>')
        left, height = left + wide, max(height, high)
    return (
        f'<svg width="{left:.0f}" height="{height:.0f}" '
        f'style="stroke:rgb(0,0,0);stroke-width:1">{"".join(drawn)}</svg>'
    )


def _shortened(ratio: float) -> float:
    """By how much a dimension is drawn shorter than one that has `ratio` times its cells."""
    return ratio if ratio < e else log(min(ratio, 100) + 12.4)


def _grid(dims: Chunks, pixels: Sequence[float]) -> tuple[str, float, float]:
    """The picture of two or three dimensions, and how wide and high it is."""
    *behind, high, wide = pixels
    y, x = _edge(dims[-2], 0, high), _edge(dims[-1], wide, 0)
    deep = behind[0] / DEEP_PARTS if behind else 0.0
    faces = _face(deep, deep, y, x) + _text(deep + wide / 2, deep + high + 20, x.cells)
    faces += _text(deep + wide + 20, deep + high / 2, y.cells, -90 if y.cells >= 100 else 0)
    if behind:
        z = _edge(dims[0], deep, deep)
        faces = _face(0, 0, z, x) + _face(0, 0, z, y) + faces
        faces += _text(deep / 2 - 10, high + deep / 2 + 20, z.cells, 45)
    return faces, deep + wide + PICTURE_MARGIN_PIXELS, deep + high + PICTURE_MARGIN_PIXELS


def _edge(lengths: Sequence[int], x: float, y: float) -> _Edge:
    """A dimension of some chunks; of many cuts every few, the first and the last."""
    ends = list(accumulate(lengths, initial=0))
    every = -(-len(ends) // MOST_CHUNK_CUTS_DRAWN)
    return _Edge(x, y, [at / ends[-1] for at in (*ends[:-1:every], ends[-1])], ends[-1])


def _face(left: float, top: float, one: _Edge, other: _Edge) -> str:
    """A parallelogram with the lines between its chunks."""
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    points = [(left + a * one.x + b * other.x, top + a * one.y + b * other.y) for a, b in corners]
    outline = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
    lines = [*_lines(left, top, one, other), *_lines(left, top, other, one)]
    dense = max(len(one.cuts), len(other.cuts)) >= MOST_CHUNK_CUTS_DRAWN
    colour = "8B4903" if dense else "ECB172"
    area = f'<polygon points="{outline}" style="fill:#{colour}A0;stroke-width:0"/>'
    return "".join([area, *lines])


def _lines(left: float, top: float, one: _Edge, other: _Edge) -> Iterator[str]:
    """The cuts of one dimension, each a line along the other."""
    for cut in one.cuts:
        x, y = left + cut * one.x, top + cut * one.y
        width = ' style="stroke-width:2"' if cut in {0, 1} else ""
        ends = f'x1="{x:.0f}" y1="{y:.0f}" x2="{x + other.x:.0f}" y2="{y + other.y:.0f}"'
        yield f"<line {ends}{width}/>"


def _text(x: float, y: float, cells: int, turned: int = 0) -> str:
    """A number of cells beside a dimension."""
    turn = f' transform="rotate({turned},{x:.0f},{y:.0f})"' if turned else ""
    return f'<text x="{x:.0f}" y="{y:.0f}" {TEXT}{turn}>{cells}</text>'
