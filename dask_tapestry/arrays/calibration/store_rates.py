"""Rates of a store: Zarr arrays, encoded as usual and plain, written to a folder and read."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dask_tapestry.arrays.calibration.task_rates import least
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.storage import from_zarr, to_zarr
from dask_tapestry.arrays.tuning import CHUNK_CELLS, SMALL_CHUNK_CELLS, STORED_CELLS, VALUE_STEP

Cells = np.ndarray[tuple[int], np.dtype[np.float64]]


def store_rates(folder: str | Path | None = None) -> dict[str, float]:
    """Bytes a second read and written by all threads, and seconds a request, in `folder`.

    What was just written is read from the system's cache: decoding it is what that takes.
    """
    with TemporaryDirectory(dir=folder) as place:
        made = np.random.default_rng(0).normal(size=STORED_CELLS)
        cells = np.round(made / VALUE_STEP) * VALUE_STEP
        large, small, plain = (Path(place, name) for name in ("large", "small", "plain"))
        write_seconds = least(lambda: _write(cells, large, CHUNK_CELLS), 2)
        read_seconds = least(lambda: from_zarr(large).compute(), 2)
        store_seconds = least(lambda: _write(cells, plain, CHUNK_CELLS, compressors=None), 2)
        copy_seconds = least(lambda: from_zarr(plain).compute(), 2)
        part = cells[: STORED_CELLS // 16]
        _write(part, small, SMALL_CHUNK_CELLS)
        pieces = len(part) // SMALL_CHUNK_CELLS
        request = least(lambda: from_zarr(small).compute(), 1) - read_seconds / 16
    return {
        "store_read": cells.nbytes / read_seconds,
        "store_write": cells.nbytes / write_seconds,
        "store_plain": cells.nbytes / copy_seconds,
        "store_plain_write": cells.nbytes / store_seconds,
        "store_latency": max(1e-6, request / pieces),
    }


def _write(cells: Cells, place: Path, chunk: int, **encoding: Any) -> None:
    to_zarr(asarray(cells), place, chunks=(chunk,), overwrite=True, **encoding)
