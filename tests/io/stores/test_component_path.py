import h5py
import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.io.stores.component_path import checked_component
from tests.examples import examples

BAD = [
    "..",
    "a/..",
    "../a",
    "a/../b",
    ".",
    "a/./b",
    "/a",
    "a/",
    "a//b",
    "/",
    "a\\b",
    "..\\a",
    "a\0b",
]


@pytest.mark.parametrize("name", BAD)
def test_names_that_lead_elsewhere_are_refused(name):
    with pytest.raises(dt.StoreError, match="names nothing within"):
        checked_component(name)


@examples(200)
@given(st.lists(st.text("ab./\\\0 é", max_size=4), max_size=4).map("/".join))
def test_what_is_let_through_stays_within(name):
    try:
        segments = checked_component(name).split("/") if name else []
    except dt.StoreError:
        bad = {"", ".", ".."} & set(name.split("/"))
        assert bad or "\\" in name or "\0" in name
    else:
        assert all(s not in ("", ".", "..") for s in segments)


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("in_memory", [False, True])
def test_nothing_is_deleted_around_a_store(tmp_path, name, in_memory):
    keep = tmp_path / "data" / "keep"
    keep.parent.mkdir()
    keep.write_text("mine")
    store = zarr.storage.MemoryStore() if in_memory else tmp_path / "data" / "x.zarr"
    for call in (
        lambda: dt.to_zarr(dt.ones(3), store, name, overwrite=True),
        lambda: dt.to_zarr(dt.ones(3), store, component=name, compute=False),
        lambda: dt.from_zarr(store, name),
        lambda: dt.to_zarr(dt.ones(3), store, name, region=(slice(0, 3),)),
    ):
        with pytest.raises(dt.StoreError, match="names nothing within"):
            call()
    assert keep.read_text() == "mine"
    assert [p.name for p in tmp_path.rglob("*")] == ["data", "keep"]


@pytest.mark.parametrize("name", ["/", "..", "/a/../b", "a//b", "a\0b", "//a", "a/"])
def test_datasets_have_names_within_their_file(tmp_path, name):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["b"] = np.arange(3)
    with pytest.raises(dt.StoreError, match="names nothing within"):
        dt.to_hdf5(tmp_path / "x.h5", {name: dt.ones(3)}, overwrite=True)
    with h5py.File(tmp_path / "x.h5") as file:
        assert list(file) == ["b"]


@pytest.mark.filterwarnings("ignore:Consolidated metadata")
def test_names_in_metadata_lead_nowhere_else(tmp_path):
    group = zarr.open_group(tmp_path / "g", mode="w")
    group.create_array("x", data=np.arange(3))
    zarr.create_array(tmp_path / "secret", data=np.arange(3))
    zarr.consolidate_metadata(tmp_path / "g")
    file = tmp_path / "g" / "zarr.json"
    file.write_text(file.read_text().replace('"x"', '"../secret"'))
    with pytest.raises(dt.StoreError, match=r"cannot open|names nothing within"):
        dt.from_zarr(tmp_path / "g")


def test_what_a_link_leads_to_is_not_replaced(tmp_path):
    """A link within a store that leads out of it; the store itself may be a link."""
    dt.to_zarr(dt.ones(3), tmp_path / "outside" / "x")
    zarr.open_group(tmp_path / "store", mode="w")
    (tmp_path / "store" / "x").symlink_to(tmp_path / "outside" / "x")
    (tmp_path / "store" / "far").symlink_to(tmp_path / "outside")
    for name in ("x", "far/x"):
        with pytest.raises(dt.StoreError, match="out of the store"):
            dt.to_zarr(dt.zeros(3), tmp_path / "store", name, overwrite=True)
        wrapped = zarr.storage.LoggingStore(zarr.storage.LocalStore(tmp_path / "store"))
        with pytest.raises(dt.StoreError, match="out of the store"):
            dt.to_zarr(dt.zeros(3), wrapped, name, overwrite=True)
    assert dt.from_zarr(tmp_path / "outside" / "x").compute().tolist() == [1, 1, 1]
    (tmp_path / "link").symlink_to(tmp_path / "store")
    dt.to_zarr(dt.zeros(3), tmp_path / "link", "y", overwrite=True)
    assert (tmp_path / "store" / "y" / "zarr.json").exists()
