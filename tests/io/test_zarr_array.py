from uuid import uuid4

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io import chunks
from dask_tapestry.io import zarr_array as module
from dask_tapestry.io.zarr_array import (
    compressor_options,
    create,
    exists,
    group_members,
    holds_array,
    open_now,
    opened,
    read_box,
    write_box,
)
from dask_tapestry.io.zarr_location import Location
from dask_tapestry.io.zarr_sync import run_inline


@pytest.fixture
def stored(tmp_path):
    zarr.create_array(tmp_path / "x", data=np.arange(6), chunks=(4,))
    return tmp_path / "x"


def location(store, component=None, nonce=None):
    return Location.of(store, component, nonce or uuid4().hex)


def test_an_array_is_opened_once(stored):
    place = location(stored)
    assert opened(place) is opened(place)
    assert opened(place) is not opened(location(stored))


def test_nothing_there(tmp_path):
    with pytest.raises(dt.StoreNotFoundError, match=r"no Zarr array at .*nowhere"):
        opened(location(tmp_path / "nowhere"))
    assert not exists(location(tmp_path / "nowhere"))


def test_a_group_is_no_array(tmp_path):
    zarr.open_group(tmp_path / "g", mode="w")
    with pytest.raises(dt.StoreError):
        opened(location(tmp_path / "g"))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"zarr_format": 3, "node_type": "array"}'])
def test_metadata_that_cannot_be_read(stored, text):
    (stored / "zarr.json").write_text(text)
    with pytest.raises(dt.StoreError, match="cannot open the Zarr array"):
        opened(location(stored))
    assert exists(location(stored))


def test_what_is_there_is_not_overwritten_unasked(stored):
    with pytest.raises(dt.StoreError, match="cannot create"):
        create(location(stored), overwrite=False, shape=(3,), dtype="i4")
    create(location(stored), overwrite=True, shape=(3,), dtype="i4")
    assert zarr.open_array(stored).shape == (3,)


def test_bytes_are_shuffled_where_cells_have_several():
    for dtype, wanted in (("f2", "shuffle"), ("u1", "noshuffle")):
        shuffle = compressor_options("auto", np.dtype(dtype))["compressors"].shuffle
        assert getattr(shuffle, "value", shuffle) == wanted  # an enumeration until zarr 3.2
    assert compressor_options(None, np.dtype("f2")) == {"compressors": None}
    codec = compressor_options("auto", np.dtype("f2"), 2)["compressors"]
    assert codec.shuffle == codec.SHUFFLE


def test_an_array_is_opened_anew_when_it_may_have_changed(stored):
    place = location(stored)
    assert open_now(place).shape == opened(place).shape == (6,)
    zarr.open_array(stored).resize((8,))
    assert open_now(place).shape == opened(place).shape == (8,)


def test_members_of_a_group_are_named_by_path(tmp_path):
    group = zarr.open_group(tmp_path / "g", mode="w")
    group.create_array("b/c", data=np.arange(3))
    group.create_array("a", data=np.arange(2))
    group.create_group("empty")
    assert not holds_array(location(tmp_path / "g"))
    assert holds_array(location(tmp_path / "g", "b/c"))
    members = group_members(location(tmp_path / "g"))
    assert {path: array.shape for path, array in members.items()} == {"a": (2,), "b/c": (3,)}
    assert list(group_members(location(tmp_path / "g", "b"))) == ["c"]
    with pytest.raises(dt.StoreNotFoundError, match="nowhere"):
        group_members(location(tmp_path / "nowhere"))


def test_large_chunks_are_in_memory_one_at_a_time(tmp_path, monkeypatch):
    monkeypatch.setattr(chunks, "LARGE", 64)
    cells = np.arange(143.0).reshape(11, 13)
    place = location(tmp_path / "y")
    create(place, False, shape=(11, 13), dtype="f8", chunks=(4, 5))
    write_box(place, (slice(0, 11), slice(0, 13)), cells, True)
    asked = []
    monkeypatch.setattr(module, "run_inline", lambda work: asked.append(1) or run_inline(work))
    for part in ((slice(3, 9), slice(4, 13)), (slice(4, 8), slice(5, 10)), (slice(0, 0),) * 2):
        np.testing.assert_array_equal(read_box(place, part), cells[part])
    assert len(asked) == 9 + 1 + 1


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("in_memory", [False, True])
def test_an_array_that_was_replaced_is_read_as_it_is_now(tmp_path, zarr_format, in_memory):
    options = {"zarr_format": zarr_format, "overwrite": True}
    for component in (None, "a"):
        store = zarr.storage.MemoryStore() if in_memory else tmp_path / f"{component}"
        options["name"] = component
        zarr.create_array(store, data=np.arange(12).reshape(4, 3), chunks=(1, 2), **options)
        x = dt.from_zarr(store, component)
        assert x.sum().compute() == 66
        zarr.create_array(store, data=-np.arange(12).reshape(4, 3), chunks=(2, 1), **options)
        np.testing.assert_array_equal(x.compute(), -np.arange(12).reshape(4, 3))
        zarr.create_array(store, data=np.arange(6).reshape(2, 3), **options)
        with pytest.raises(dt.StoreError, match="it has another shape now"):
            x.compute()
