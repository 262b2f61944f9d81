"""Chunks filled with their array's fill value: which are, and which are seen at once not to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dask_tapestry.io.chunks.zarr_array_format import chunks_met
from dask_tapestry.io.files.file_cells import part_of
from dask_tapestry.io.tuning import CELLS_LOOKED_AT

Block = np.ndarray[Any, Any]


def is_filled(cells: Block, fill: Any, dtype: np.dtype[Any]) -> bool:
    """Whether all cells have the very bytes that a fill value has as a cell of a dtype.

    Minus zero is not zero then, and NaN is NaN of the same bits alone.

    Examples
    --------
    >>> zeros = np.zeros(3)
    >>> is_filled(zeros, 0, zeros.dtype), is_filled(-zeros, 0, zeros.dtype)
    (True, False)
    """
    native = dtype.newbyteorder("=")
    cell = np.asarray(fill, native).reshape(())
    if not cells.size or not native.itemsize:
        return True
    if any(np.asarray(one, native).tobytes() != cell.tobytes() for one in _a_few(cells)):
        return False  # most end here: comparing all takes longer than writing them
    raw = np.dtype((np.void, native.itemsize))
    line = np.ascontiguousarray(cells, native).reshape(-1).view(raw)
    return bool(np.all(line == cell.reshape(1).view(raw)))


def _a_few(cells: Block) -> Iterator[Any]:
    """Some cells, evenly along the diagonal."""
    for at in range(CELLS_LOOKED_AT):
        yield cells[tuple([n * at // CELLS_LOOKED_AT for n in cells.shape])]


def none_is_filled(
    cells: Block, selection: Sequence[slice], chunk: Sequence[int], fill: Any
) -> bool:
    """Whether a few cells tell that no chunk which a selection meets has the fill value alone.

    To look at all, as zarr does of each chunk that it encodes, takes up to half of the encoding.
    `cells`, of the array's dtype, are those selected. False where that is not known.

    Examples
    --------
    >>> all_of_it = (slice(0, 4),)
    >>> none_is_filled(np.array([0, 1, 1, 0]), all_of_it, (2,), 0)
    True
    >>> none_is_filled(np.array([0, 0, 1, 0]), all_of_it, (2,), 0)
    False
    """
    if fill is None or cells.dtype.kind not in "biufcmM":
        return False
    return all(
        any(one != fill and (one == one or fill == fill) for one in _a_few(part_of(cells, there)))
        for _, _, there in chunks_met(selection, chunk)
    )
