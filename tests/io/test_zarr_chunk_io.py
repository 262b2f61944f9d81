from uuid import uuid4

import numpy as np

from dask_tapestry.io import chunk_costs
from dask_tapestry.io import zarr_chunk_io as module
from dask_tapestry.io.zarr_chunk_io import read_box, write_box
from dask_tapestry.io.zarr_create import create
from dask_tapestry.io.zarr_location import Location
from dask_tapestry.io.zarr_sync import run_inline


def test_large_chunks_are_in_memory_one_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(chunk_costs, "LARGE", 64)
    cells = np.arange(143.0).reshape(11, 13)
    place = Location.of(tmp_path / "y", None, uuid4().hex)
    create(place, False, shape=(11, 13), dtype="f8", chunks=(4, 5))
    write_box(place, (slice(0, 11), slice(0, 13)), cells)
    asked = []
    monkeypatch.setattr(module, "run_inline", lambda work: asked.append(1) or run_inline(work))
    for part in ((slice(3, 9), slice(4, 13)), (slice(4, 8), slice(5, 10)), (slice(0, 0),) * 2):
        out = np.empty(cells[part].shape)
        read_box(place, part, out, cells.shape)
        np.testing.assert_array_equal(out, cells[part])
    assert len(asked) == 9 + 1 + 1
