import threading
from uuid import uuid4

import numpy as np
import pytest
import zarr
from numcodecs import Delta

import dask_tapestry as dt
from dask_tapestry.idle_threads import busy_thread
from dask_tapestry.io.chunks import chunk_costs, zarr_direct
from dask_tapestry.io.chunks import zarr_chunk_io as module
from dask_tapestry.io.chunks.zarr_chunk_io import read_box, write_box
from dask_tapestry.io.sinks import zarr_sink
from dask_tapestry.io.sinks.zarr_create import create
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.stores.zarr_sync import run_inline
from tests.stores import CountingStore


def test_large_chunks_are_in_memory_one_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(chunk_costs, "LARGE_CHUNK_BYTES", 64)
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


LAYOUTS = [
    {"compressors": None},
    {"compressors": "auto"},
    {"zarr_format": 2},
    {"shards": (4, 6)},
]


def chunk_files(folder):
    """Paths and sizes of what is stored of chunks."""
    hidden = (".zarray", ".zattrs", "zarr.json")
    found = [one for one in folder.rglob("*") if one.is_file() and one.name not in hidden]
    found = [one for one in found if ".dask_tapestry" not in str(one)]
    return {str(one.relative_to(folder)): one.stat().st_size for one in found}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("fill", [0.0, np.nan, 3.0])
def test_chunks_of_fill_values_are_left_out_or_stored_as_is_asked(tmp_path, layout, fill):
    cells = np.full((8, 6), fill)
    cells[0, 0], cells[7, 5] = 1, -0.0
    place = Location.of(tmp_path / "y", None, uuid4().hex)
    create(place, False, shape=(8, 6), dtype="f8", chunks=(2, 3), fill_value=fill, **layout)
    all_of_it, sizes = (slice(0, 8), slice(0, 6)), []
    for empty, kept in ((True, 8), (False, 2), (True, 8)):
        write_box(place, all_of_it, cells, empty)
        found = chunk_files(tmp_path / "y")
        sizes.append(sum(found.values()))
        assert len(found) == (2 if "shards" in layout else kept)
        out = np.empty((8, 6))
        read_box(place, all_of_it, out, (8, 6))
        assert out.tobytes() == cells.tobytes()
    assert sizes[0] > sizes[1] < sizes[2]
    write_box(place, all_of_it, np.full((8, 6), fill), False)
    assert not chunk_files(tmp_path / "y")


@pytest.mark.parametrize("compressors", [None, "auto"])
def test_each_chunk_of_a_block_is_looked_at(tmp_path, compressors):
    cells = np.ones((8, 6))
    cells[2:4, 3:] = 0
    for name, block_bytes in (("whole", None), ("cut", 50)):
        with dt.config(block_bytes=block_bytes, max_tasks=1000):
            dt.to_zarr(cells, tmp_path / name, chunks=(2, 3), compressors=compressors)
        found = set(chunk_files(tmp_path / name))
        assert len(found) == 7
        assert not any(key.endswith("1/1") for key in found)


def test_structured_cells_are_compared_whole(tmp_path):
    kind = np.dtype([("a", "i4"), ("b", "f4")])
    cells = np.zeros((4, 2), kind)
    cells["b"][3, 1] = -0.0
    how = {"chunks": (2, 2), "zarr_format": 2, "compressors": None}
    dt.to_zarr(cells, tmp_path / "y", write_empty_chunks=False, **how)
    assert list(chunk_files(tmp_path / "y")) == ["1.0"]
    assert dt.from_zarr(tmp_path / "y").compute().tobytes() == cells.tobytes()


@pytest.mark.parametrize("compressors", [None, "auto"])
def test_a_chunk_that_was_left_out_counts_as_written(tmp_path, monkeypatch, compressors):
    cells = np.zeros((8, 3))
    cells[6:] = 1
    written, usual = [], zarr_sink.write_box

    def one_is_torn(location, selection, block, empty):
        if len(written) == 3:
            raise OSError("the disk is on fire")
        written.append(selection)
        usual(location, selection, block, empty)

    def job():
        with dt.config(block_bytes=48):
            options = {"chunks": (2, 3), "compressors": compressors, "resume": True}
            dt.to_zarr(cells, tmp_path / "y", **options, write_empty_chunks=False, scheduler="sync")

    monkeypatch.setattr(zarr_sink, "write_box", one_is_torn)
    with pytest.raises(OSError, match="on fire"):
        job()
    there = len(chunk_files(tmp_path / "y"))
    written.clear()
    job()
    assert len(written) == 1
    assert there <= 1 == len(chunk_files(tmp_path / "y"))
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "y").compute(), cells)


def test_zarrs_setting_counts_where_nothing_is_asked(tmp_path):
    with zarr.config.set({"array.write_empty_chunks": True}):
        dt.to_zarr(np.zeros(4), tmp_path / "all", chunks=2)
    dt.to_zarr(np.zeros(4), tmp_path / "none", chunks=2)
    assert len(chunk_files(tmp_path / "all")) == 2
    assert not chunk_files(tmp_path / "none")


@pytest.mark.parametrize("wrapped", [lambda store: store, CountingStore])
@pytest.mark.parametrize("compressors", [None, "auto"])
def test_a_store_in_memory_has_cells_of_its_own(compressors, wrapped):
    store, cells = wrapped(zarr.storage.MemoryStore()), np.arange(12.0).reshape(3, 4)
    dt.asarray(cells).to_zarr(store, chunks=(3, 4), compressors=compressors)
    cells[:] = -1
    assert zarr.open_array(store)[2, 3] == 11


@pytest.mark.parametrize("layout", [{"compressors": None}, {}, {"filters": [Delta(dtype="f8")]}])
def test_idle_threads_read_and_write_chunks(tmp_path, monkeypatch, layout):
    """Of a thread that has several, uncompressed, decoded here and decoded by zarr."""
    cells = np.arange(4.0 * 2**20).reshape(8, 2**19)
    kind = {"chunks": (1, 2**19), "zarr_format": 2, **layout}
    made = zarr.create_array(tmp_path, shape=cells.shape, dtype="f8", **kind)
    names, meet = set(), threading.Barrier(2)
    for place, name in ((zarr_direct, "CellFile"), (module, "run_inline")):
        own = getattr(place, name)

        def met(*args, own=own):
            names.add(threading.current_thread().name)
            meet.wait(60)
            return own(*args)

        monkeypatch.setattr(place, name, met)
    source = dt.from_zarr(made).node.operator
    with busy_thread(2):
        write_box(source.location, source.type.box.slices(), cells)
        assert len(names) == 2
        names.clear()
        np.testing.assert_array_equal(source.read(source.type.box), cells)
        assert len(names) == 2
