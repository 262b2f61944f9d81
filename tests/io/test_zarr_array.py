from uuid import uuid4

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io import zarr_array
from dask_tapestry.io.zarr_array import Location, complete, compressors, create, exists, opened


@pytest.fixture
def stored(tmp_path):
    zarr.create_array(tmp_path / "x", data=np.arange(6), chunks=(4,))
    return tmp_path / "x"


def location(store, component=None, nonce=None):
    return Location.of(store, component, nonce or uuid4().hex)


def test_a_location_is_a_path_and_what_is_within(tmp_path):
    group = zarr.open_group(tmp_path / "g", mode="w")
    inner = group.create_group("a")
    assert location(tmp_path).store == str(tmp_path)
    assert location(group, "b").component == "b"
    assert location(inner, "b").component == "a/b"
    assert location(inner.create_array("c", shape=(1,), dtype="i4")).component == "a/c"
    assert str(location("s3://bucket", "x/y")) == "s3://bucket/x/y"


def test_only_the_memory_of_this_process_is_in_memory(tmp_path):
    assert location(zarr.storage.MemoryStore()).is_in_memory
    assert location({}).is_in_memory
    assert not location(tmp_path).is_in_memory
    assert not location(zarr.storage.LocalStore(tmp_path)).is_in_memory


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


def test_an_array_is_incomplete_until_it_is_said_to_be_complete(tmp_path):
    place = location(tmp_path / "x")
    create(place, overwrite=False, shape=(3,), dtype="i4")
    with pytest.raises(dt.StoreError, match="incomplete"):
        zarr_array.refuse_incomplete(opened(place), place)
    complete(place)
    later = location(tmp_path / "x")
    zarr_array.refuse_incomplete(opened(later), later)


def test_completing_keeps_other_attributes(stored):
    zarr.open_array(stored).attrs["units"] = "m"
    zarr_array.mark_incomplete(location(stored))
    complete(location(stored))
    assert dict(zarr.open_array(stored).attrs) == {"units": "m"}


def test_what_is_there_is_not_overwritten_unasked(stored):
    with pytest.raises(dt.StoreError, match="cannot create"):
        create(location(stored), overwrite=False, shape=(3,), dtype="i4")
    create(location(stored), overwrite=True, shape=(3,), dtype="i4")
    assert zarr.open_array(stored).shape == (3,)


def test_bytes_are_shuffled_where_cells_have_several():
    for dtype, wanted in (("f2", "shuffle"), ("u1", "noshuffle")):
        shuffle = compressors("auto", np.dtype(dtype))["compressors"].shuffle
        assert getattr(shuffle, "value", shuffle) == wanted  # an enumeration until zarr 3.2
    assert compressors(None, np.dtype("f2")) == {"compressors": None}
