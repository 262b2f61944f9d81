from uuid import uuid4

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.stores.zarr_location import Location
from dask_tapestry.io.stores.zarr_open import (
    exists,
    group_members,
    holds_array,
    moved,
    open_array,
    open_cached,
)


@pytest.fixture
def stored(tmp_path):
    zarr.create_array(tmp_path / "x", data=np.arange(6), chunks=(4,))
    return tmp_path / "x"


def location(store, component=None, nonce=None):
    return Location.of(store, component, nonce or uuid4().hex)


def test_an_array_is_opened_once(stored):
    place = location(stored)
    assert open_cached(place) is open_cached(place)
    assert open_cached(place) is not open_cached(location(stored))


def test_nothing_there(tmp_path):
    with pytest.raises(dt.StoreNotFoundError, match=r"no Zarr array at .*nowhere"):
        open_cached(location(tmp_path / "nowhere"))
    assert not exists(location(tmp_path / "nowhere"))


def test_a_group_is_no_array(tmp_path):
    zarr.open_group(tmp_path / "g", mode="w")
    with pytest.raises(dt.StoreError):
        open_cached(location(tmp_path / "g"))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"zarr_format": 3, "node_type": "array"}'])
def test_metadata_that_cannot_be_read(stored, text):
    (stored / "zarr.json").write_text(text)
    with pytest.raises(dt.StoreError, match="cannot open the Zarr array"):
        open_cached(location(stored))
    assert exists(location(stored))


def test_an_array_is_opened_anew_when_it_may_have_changed(stored):
    place = location(stored)
    assert open_array(place).shape == open_cached(place).shape == (6,)
    zarr.open_array(stored).resize((8,))
    assert open_array(place).shape == open_cached(place).shape == (8,)


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


def test_an_array_that_is_written_elsewhere_first_is_open(stored, tmp_path):
    """Else threads that write its first chunks open it at once, and all but one fail."""
    array = moved(open_cached(location(stored)), tmp_path / "beside")
    assert array.store._is_open
