import warnings

import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.io.stores.zarr_consolidate import consolidate, group_of
from dask_tapestry.io.stores.zarr_location import Location
from tests.s3_server import s3_server


def told(store, path=""):
    """Shapes of arrays in a group, as its consolidated metadata say; None if it has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        group = zarr.open_group(store, path=path, mode="r", use_consolidated=None)
        if group.metadata.consolidated_metadata is None:
            return None
        members = dict(group.members(max_depth=None))
    return {name: one.shape for name, one in members.items() if isinstance(one, zarr.Array)}


@pytest.mark.parametrize("version", [2, 3])
def test_several_sinks_at_once(tmp_path, version):
    how = {"consolidated": True, "compute": False, "zarr_format": version}
    levels = [dt.to_zarr(dt.ones(2**n), tmp_path, f"levels/{n}", **how) for n in range(5)]
    dt.compute(*levels)
    assert told(tmp_path) == {f"levels/{n}": (2**n,) for n in range(5)}
    larger = [
        dt.to_zarr(dt.ones(2**n + 1), tmp_path, f"levels/{n}", overwrite=True, **how)
        for n in range(5)
    ]
    dt.compute(*larger)
    assert told(tmp_path) == {f"levels/{n}": (2**n + 1,) for n in range(5)}


def test_a_group_keeps_what_it_has(tmp_path):
    dt.to_zarr(dt.ones(3), tmp_path, "a")
    assert told(tmp_path) is None
    dt.to_zarr(dt.ones(3), tmp_path, "b", consolidated=True)
    dt.to_zarr(dt.ones(3), tmp_path, "c")
    dt.to_zarr(dt.ones(2), tmp_path, "c", append_dim=0)
    assert told(tmp_path) == {"a": (3,), "b": (3,), "c": (5,)}
    dt.to_zarr(dt.ones(3), tmp_path, "d", consolidated=False)
    assert "d" not in told(tmp_path)


def test_the_group_that_is_given_is_consolidated(tmp_path):
    group = zarr.open_group(tmp_path).require_group("inner")
    dt.to_zarr(dt.ones(3), group, "a", consolidated=True)
    assert told(tmp_path) is None
    assert told(tmp_path, "inner") == {"a": (3,)}


def test_a_resumed_write_that_is_complete_consolidates(tmp_path):
    for consolidated in (False, True):
        dt.to_zarr(dt.ones(3), tmp_path, "a", resume=True, consolidated=consolidated)
    assert told(tmp_path) == {"a": (3,)}


def test_what_cannot_be_consolidated_is_refused(tmp_path):
    for place in (tmp_path / "x", tmp_path / "x.zip"):
        with pytest.raises(dt.StoreError, match="consolidated=True"):
            dt.to_zarr(dt.ones(3), place, consolidated=True)
        assert not place.exists()
    location = Location.of(tmp_path / "nothing", "a", "")
    assert group_of(location, tmp_path, None) is None
    with pytest.raises(dt.StoreError, match="cannot be consolidated"):
        consolidate(location, "")


def test_xarray_opens_a_group_by_one_object():
    xarray = pytest.importorskip("xarray")
    with s3_server() as server:
        bucket = server.bucket()
        for name in "abc":
            x = dt.ones((4, 3)).rename("time", "place")
            dt.to_zarr(x, server.object_store(bucket), name, consolidated=True)
        server.calm()
        how = {"consolidated": True, "zarr_format": 3, "chunks": None}
        data = xarray.open_zarr(server.object_store(bucket), **how)
        assert set(server.objects) == {f"/{bucket}/zarr.json"}
        assert set(data) == set("abc")
        np.testing.assert_array_equal(data["b"].values, np.ones((4, 3)))
