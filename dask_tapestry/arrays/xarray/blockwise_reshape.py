"""Reshaping to and fro, where the order of cells in between does not matter."""

from __future__ import annotations

from typing import Any

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.layout_arguments import with_chunks
from dask_tapestry.arrays.shape.reshaping import reshape


def reshape_blockwise(
    x: Array, shape: int | tuple[int, ...], chunks: tuple[tuple[int, ...], ...] | None = None
) -> Any:
    """Return `x` in another shape, as `numpy.reshape`; nominal chunks are those given.

    Dask's function keeps each block together and so may order cells differently, which it undoes
    when it is called the other way round; here the order is NumPy's both ways.
    """
    return with_chunks(reshape(x, shape), chunks)
