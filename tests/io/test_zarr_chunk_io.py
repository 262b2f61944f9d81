from uuid import uuid4

import numpy as np
import pytest
import zarr
from numcodecs import Delta

import dask_tapestry as dt
from dask_tapestry.io import chunk_costs
from dask_tapestry.io import zarr_chunk_io as module
from dask_tapestry.io.zarr_chunk_io import read_box, write_box
from dask_tapestry.io.zarr_create import create
from dask_tapestry.io.zarr_location import Location
from dask_tapestry.io.zarr_sync import run_inline
from tests.stores import CountingStore


def test_large_chunks_are_in_memory_one_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(chunk_costs, "LARGE", 64)
    cells = np.arange(143.0).reshape(11, 13)
    place = Location.of(tmp_path / "y", None, uuid4().hex)
    only_by_zarr = {"zarr_format": 2, "filters": [Delta(dtype="f8")]}
    create(place, False, shape=(11, 13), dtype="f8", chunks=(4, 5), **only_by_zarr)
    write_box(place, (slice(0, 11), slice(0, 13)), cells)
    asked = []
    monkeypatch.setattr(module, "run_inline", lambda work: asked.append(1) or run_inline(work))
    for part in ((slice(3, 9), slice(4, 13)), (slice(4, 8), slice(5, 10)), (slice(0, 0),) * 2):
        out = np.empty(cells[part].shape)
        read_box(place, part, out, cells.shape)
        np.testing.assert_array_equal(out, cells[part])
    assert len(asked) == 9 + 1 + 1


def test_chunks_of_fill_values_are_left_out_and_zarr_looks_at_few(tmp_path, monkeypatch):
    place = Location.of(tmp_path / "y", None, uuid4().hex)
    create(place, False, shape=(8, 64), dtype="f8", chunks=(8, 32), compressors="auto")
    looked, usual = [], module.open_stamped
    monkeypatch.setattr(
        module, "open_stamped", lambda *told: looked.append(told[2]) or usual(*told)
    )
    cells = np.zeros((8, 32))
    write_box(place, (slice(0, 8), slice(0, 32)), cells)
    assert not list((tmp_path / "y").glob("c/0/*"))
    cells[4, 16] = 1  # the first cell is still the fill value
    write_box(place, (slice(0, 8), slice(32, 64)), cells)
    assert [path.name for path in (tmp_path / "y").glob("c/0/*")] == ["1"]
    assert True in looked, "its cells are not compared"


@pytest.mark.parametrize("wrapped", [lambda store: store, CountingStore])
@pytest.mark.parametrize("compressors", [None, "auto"])
def test_a_store_in_memory_has_cells_of_its_own(compressors, wrapped):
    store, cells = wrapped(zarr.storage.MemoryStore()), np.arange(12.0).reshape(3, 4)
    dt.asarray(cells).to_zarr(store, chunks=(3, 4), compressors=compressors)
    cells[:] = -1
    assert zarr.open_array(store)[2, 3] == 11
