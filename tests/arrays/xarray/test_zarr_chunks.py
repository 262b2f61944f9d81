"""Arrays of any chunks are written by xarray, each stored chunk by one task."""

import numpy as np
import pytest
import xarray as xr

import dask_tapestry as dt
from dask_tapestry.arrays.xarray.zarr_chunks import equal_lengths

DATA = xr.Dataset({"t": (("time", "x"), np.arange(40.0).reshape(10, 4))})


@pytest.fixture(autouse=True)
def with_our_manager():
    with dt.xarray.use():
        yield


@pytest.mark.parametrize("lengths", [(3, 5, 2), (1, 4), (4, 4, 4), (7,), (0,), (2, 1, 2)])
def test_lengths_are_those_of_the_longest(lengths):
    found = equal_lengths(lengths)
    assert sum(found) == sum(lengths)
    assert set(found[:-1]) <= {max(lengths)}
    assert found[-1] <= max(lengths)


@pytest.mark.parametrize("encoding", [None, {"t": {"chunks": (4, 3)}}])
def test_chunks_of_other_lengths_are_written(tmp_path, encoding):
    data = DATA.chunk(time=(3, 5, 2), x=(1, 3))
    data.to_zarr(tmp_path / "a", consolidated=False, encoding=encoding)
    read = xr.open_zarr(tmp_path / "a", consolidated=False)
    assert read.t.encoding["chunks"] == ((5, 3) if encoding is None else (4, 3))
    xr.testing.assert_identical(read.compute(), DATA)


def test_edges_of_regions_are_still_compared(tmp_path):
    options = {"consolidated": False, "mode": "r+"}
    DATA.chunk(time=5).to_zarr(tmp_path / "a", consolidated=False)
    part = (DATA + 1).isel(time=slice(5, 10))
    part.chunk(time=2).to_zarr(tmp_path / "a", region={"time": slice(5, 10)}, **options)
    with pytest.raises(ValueError, match="chunks"):
        part.chunk(time=2).to_zarr(tmp_path / "a", region={"time": slice(3, 8)}, **options)
    np.testing.assert_array_equal(
        xr.open_zarr(tmp_path / "a", consolidated=False).t[5:].values, DATA.t[5:] + 1
    )
