"""One version is read, or an error is raised: what others do between the tasks of a compute."""

import os
import shutil
from uuid import uuid4

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.journals import zarr_version
from dask_tapestry.io.journals.zarr_version import Version
from dask_tapestry.io.stores.stored_objects import objects_of
from dask_tapestry.io.stores.zarr_location import Location

SHAPE, CHUNKS = (8, 6), (2, 6)


def replaced_by_us(store):
    dt.to_zarr(dt.full(SHAPE, 2.0), store, chunks=CHUNKS, overwrite=True)


def replaced_by_zarr(store):
    zarr.create_array(store, data=np.full(SHAPE, 2.0), chunks=CHUNKS, overwrite=True)


def region_of_read_cells(store):
    dt.to_zarr(dt.full((4, 6), 2.0), store, region=(slice(4, 8),))


def grown(store):
    dt.to_zarr(dt.full((2, 6), 2.0), store, append_dim=0)


def failed_region(store):
    with pytest.raises(OSError, match="on fire"):
        dt.to_zarr(dt.from_array(Failing()), store, region=(slice(4, 6),))


class Failing:
    shape, dtype = (2, 6), np.dtype("f8")

    def __getitem__(self, key):
        raise OSError("the disk is on fire")


CHANGES = [replaced_by_us, replaced_by_zarr, region_of_read_cells, grown, failed_region]


@pytest.fixture(params=["folder", "memory", "url"])
def store(request, tmp_path):
    kinds = {
        "folder": tmp_path / "x",
        "memory": zarr.storage.MemoryStore(),
        "url": f"memory://{uuid4().hex}",
    }
    dt.to_zarr(dt.ones(SHAPE), kinds[request.param], chunks=CHUNKS)
    return kinds[request.param]


class Meddling:
    """A function of blocks which changes the store when the second block is computed."""

    def __init__(self, change, store):
        self.change, self.store, self.blocks = change, store, 0

    def __call__(self, block):
        self.blocks += 1
        if self.blocks == 2:
            self.change(self.store)
        return block


def blockwise(store, change):
    x = dt.from_zarr(store).map_blocks(Meddling(change, store), dtype="f8")
    return x.compute(scheduler="sync")


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_in_the_middle_is_an_error(store, change):
    with pytest.raises(dt.StoreError, match=r"while it was read|while they were read|shape now"):
        blockwise(store, change)


def test_a_region_beside_what_is_read_is_none(store):
    def beside(store):
        dt.to_zarr(dt.full((2, 6), 2.0), store, region=(slice(6, 8),))

    x = dt.from_zarr(store)[:6].map_blocks(Meddling(beside, store), dtype="f8")
    assert x.compute(scheduler="sync").sum() == 36
    assert dt.from_zarr(store).sum().compute() == 36 + 24


def test_a_lazy_array_reads_the_version_that_is_there_when_it_is_computed(store):
    x = dt.from_zarr(store)
    assert x.sum().compute() == 48
    replaced_by_us(store)
    assert x.sum().compute() == 96
    region_of_read_cells(store)
    grown(store)
    with pytest.raises(dt.StoreError, match="another shape now"):
        x.sum().compute()


def test_chunks_are_those_of_the_version_that_is_read(store):
    x = dt.from_zarr(store)
    assert x.sum().compute() == 48
    cells = np.arange(48.0).reshape(SHAPE)
    dt.to_zarr(cells, store, chunks=(5, 2), compressors=None, overwrite=True)
    np.testing.assert_array_equal(x.compute(), cells)


def test_what_a_compute_writes_itself_is_in_the_order_that_it_needs(store):
    target = zarr.open_array(store)
    x = dt.store(dt.from_zarr(store) + 1, target, compute=False, return_stored=True)
    assert (x * 2).sum().compute() == 2 * 96
    halves = dt.store(
        [dt.zeros((4, 6)), dt.ones((4, 6))],
        [target] * 2,
        regions=[(slice(0, 4),), (slice(4, 8),)],
        compute=False,
        return_stored=True,
    )
    assert [float(half.sum()) for half in halves] == [0, 24]


def test_a_file_that_is_put_back_is_another_version(tmp_path):
    dt.to_zarr(dt.ones(SHAPE), tmp_path / "x", chunks=CHUNKS)
    place = Location.of(tmp_path / "x", None, uuid4().hex)
    version = Version.of(place, "a run")
    version.confirm(place, [((0, 8), (0, 6))])
    shutil.copy(tmp_path / "x" / "zarr.json", tmp_path / "copy")
    os.replace(tmp_path / "copy", tmp_path / "x" / "zarr.json")
    with pytest.raises(dt.StoreError, match="was replaced while it was read"):
        version.confirm(place, [((0, 8), (0, 6))])


def test_a_version_says_what_it_is_in_any_compute(tmp_path):
    dt.to_zarr(dt.ones(SHAPE), tmp_path / "x", chunks=CHUNKS)
    place = Location.of(tmp_path / "x", None, uuid4().hex)
    one, other = Version.of(place, "a run"), Version.of(place, "another")
    assert one.text == other.text
    assert one != other
    replaced_by_us(tmp_path / "x")
    assert Version.of(place, "a run").text != one.text


def test_a_write_that_ends_while_many_records_are_listed(tmp_path, monkeypatch):
    """It is in no half of the listing: not begun any more, and not done yet."""
    dt.to_zarr(dt.ones(SHAPE), tmp_path / "x", chunks=CHUNKS)
    place = Location.of(tmp_path / "x", None, uuid4().hex)
    version, objects = Version.of(place, "a run"), objects_of(place)
    names, list_names = objects.names(), objects.names
    halves = iter([names])
    monkeypatch.setattr(zarr_version, "NAMES_LISTED_AT_ONCE", 0)
    monkeypatch.setattr(objects, "names", lambda: next(halves, None) or list_names())
    region_of_read_cells(tmp_path / "x")
    with pytest.raises(dt.StoreError, match="were written while they were read"):
        version.confirm(place, [((0, 8), (0, 6))])


def test_what_is_not_there_when_a_compute_begins_is_not_read(store):
    """Metadata that were read before may be of an array that another write is replacing."""
    x = dt.from_zarr(store)
    place = x.node.operator.location
    objects_of(place).clear(objects_of(place).names())
    with pytest.raises(dt.StoreError, match="there is no Zarr array"):
        x.sum().compute()


def test_records_that_are_older_than_they_are_kept_are_not_relied_on(tmp_path, monkeypatch):
    dt.to_zarr(dt.ones(SHAPE), tmp_path / "x", chunks=CHUNKS)
    place = Location.of(tmp_path / "x", None, uuid4().hex)
    version = Version.of(place, "a run")._replace(time=0)
    version.confirm(place, [((0, 2), (0, 6))])
    dt.to_zarr(dt.zeros((2, 6)), tmp_path / "x", region=(slice(6, 8),))
    with pytest.raises(dt.StoreError, match="written while"):
        version.confirm(place, [((0, 2), (0, 6))])
