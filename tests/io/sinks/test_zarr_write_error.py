import errno
import os
import shutil

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.files import file_cells
from dask_tapestry.io.stores.stored_objects import FOLDER

CELLS = np.arange(1.0, 121).reshape(10, 12)


class FullDisk:
    """Takes so many writes of chunks, then no more."""

    def __init__(self, writes):
        self.left, self.system = writes, os.pwritev

    def __call__(self, number, places, at):
        self.left -= 1
        if self.left < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.system(number, places, at)


def to_full_disk(path, monkeypatch, writes, cells=CELLS, **options):
    with monkeypatch.context() as patch:
        patch.setattr(file_cells.os, "pwritev", FullDisk(writes))
        options = {"chunks": (5, 4), "compressors": None, "scheduler": "sync"} | options
        dt.to_zarr(dt.asarray(cells), path, **options)


@pytest.mark.parametrize("writes", [0, 2, 5])
def test_a_full_disk_leaves_no_torn_store(tmp_path, monkeypatch, writes):
    path = tmp_path / "x"
    named = (
        rf"cannot write \[.*\] to .*x: cannot write chunk c/.*No space left on device; what is "
        rf"there is marked as incomplete: {writes} of its 6 chunks are written"
    )
    with pytest.raises(dt.StoreError, match=named):
        to_full_disk(path, monkeypatch, writes)
    with pytest.raises(dt.StoreError, match="is incomplete"):
        dt.from_zarr(path)
    files = [f for f in path.rglob("*") if f.is_file() and f.parent.name != FOLDER]
    assert len(files) == writes + 1  # and the metadata
    dt.to_zarr(dt.asarray(CELLS), path, overwrite=True)
    np.testing.assert_array_equal(dt.from_zarr(path).compute(), CELLS)


def test_an_array_that_was_to_be_replaced_stays(tmp_path, monkeypatch):
    path = tmp_path / "x"
    zarr.create_array(path, data=-CELLS, chunks=(5, 4))
    with pytest.raises(dt.StoreError, match=r"No space left on device; .*x is as it was"):
        to_full_disk(path, monkeypatch, 2, overwrite=True)
    np.testing.assert_array_equal(dt.from_zarr(path).compute(), -CELLS)


def test_what_is_written_of_a_new_array_is_named_and_goes(tmp_path, monkeypatch):
    path = tmp_path / "x"
    zarr.create_array(path, data=-CELLS, chunks=(5, 4))
    with pytest.raises(dt.StoreError, match="lies in") as caught:
        to_full_disk(path, monkeypatch, 2, overwrite=True)
    (part,) = tmp_path.glob("*.tapestry-partial")
    assert f"lies in {part}" in str(caught.value)
    assert any(str(part) in note for note in caught.value.__notes__)
    dt.to_zarr(dt.asarray(CELLS), path, overwrite=True)
    assert [left.name for left in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("compressors", [None, "auto"])
def test_a_disk_that_is_full(small_disk, compressors):
    path, options = small_disk / "x", {"chunks": (100, 100), "compressors": compressors}
    cells = np.random.default_rng(0).random((400, 400))
    dt.to_zarr(dt.asarray(cells[:200]), path, **options)
    with pytest.raises(dt.StoreError, match=r"No space left.*x is as it was.*lies in") as caught:
        dt.to_zarr(dt.asarray(cells), path, overwrite=True, **options)
    np.testing.assert_array_equal(dt.from_zarr(path).compute(), cells[:200])
    (part,) = small_disk.glob("*.tapestry-partial")
    assert str(part) in str(caught.value)
    shutil.rmtree(part)
    dt.to_zarr(dt.asarray(cells[:100]), path, overwrite=True, **options)
    np.testing.assert_array_equal(dt.from_zarr(path).compute(), cells[:100])


def test_a_region_that_finds_no_room_is_named(tmp_path, monkeypatch):
    path = tmp_path / "x"
    zarr.create_array(path, data=-CELLS, chunks=(5, 4), compressors=None)
    region = {"region": (slice(5, 10), slice(0, 12)), "chunks": "auto", "compressors": "auto"}
    with pytest.raises(dt.StoreError, match=r"cannot write \[.*\] to .*x: .*c/1.*No space left"):
        to_full_disk(path, monkeypatch, 0, CELLS[5:], **region)
    np.testing.assert_array_equal(zarr.open_array(path)[...], -CELLS)
    with pytest.raises(dt.StoreError, match=r"\[5:10"):
        dt.from_zarr(path)


def test_compressed_chunks_find_no_room(tmp_path, monkeypatch):
    def put(path, value, exclusive=False):
        if "c" in path.parts:
            raise OSError(errno.ENOSPC, "No space left on device")
        return system(path, value, exclusive)

    system = zarr.storage._local._put
    monkeypatch.setattr(zarr.storage._local, "_put", put)
    with pytest.raises(dt.StoreError, match=r"No space left on device; .*: 0 of its 6 chunks"):
        dt.to_zarr(dt.asarray(CELLS), tmp_path / "x", chunks=(5, 4))


@pytest.mark.parametrize("writes", [0, 2, 5])
def test_a_full_disk_says_that_a_resumed_write_goes_on(tmp_path, monkeypatch, writes):
    path = tmp_path / "x"
    named = rf"No space left on device; .*{writes} of its 6 chunks are written; the same call with "
    with pytest.raises(dt.StoreError, match=f"{named}resume=True goes on"):
        to_full_disk(path, monkeypatch, writes, resume=True)
    options = {"chunks": (5, 4), "compressors": None, "scheduler": "sync", "resume": True}
    dt.to_zarr(dt.asarray(CELLS), path, **options)
    np.testing.assert_array_equal(dt.from_zarr(path).compute(), CELLS)
