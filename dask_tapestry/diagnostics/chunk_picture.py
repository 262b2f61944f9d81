"""Pictures of chunks, drawn by Dask's own function."""

from __future__ import annotations

from math import prod

from dask_tapestry.errors import ShapeError

Chunks = tuple[tuple[int, ...], ...]


def chunk_picture(chunks: Chunks, size: int = 200) -> str:
    """Return the chunks as SVG.

    Raises
    ------
    ShapeError
        Without dimensions or without cells, where there is nothing to draw.
    """
    if not chunks or not prod(map(sum, chunks)):
        raise ShapeError("an array without dimensions or without cells has no picture")
    from dask.array.svg import svg  # noqa: PLC0415  (it imports all of dask.array)

    text: str = svg(chunks, size=size)
    return text
