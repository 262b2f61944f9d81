"""What xarray has opened is seen through, down to the stored array."""

import numpy as np
import pytest
import xarray as xr

import dask_tapestry as dt

DATA = xr.Dataset({"t": (("time", "place"), np.arange(12.0).reshape(4, 3))})
PACKED = {"t": {"dtype": "int16", "scale_factor": 0.5, "add_offset": 1.0, "_FillValue": -1}}


@pytest.fixture
def opened(tmp_path):
    def write_and_open(data=DATA, **options):
        data.to_zarr(tmp_path / "a.zarr", consolidated=False, **options)
        with dt.xarray.use():
            return xr.open_zarr(tmp_path / "a.zarr", consolidated=False)

    return write_and_open


def test_a_stored_array_is_a_source(opened):
    data = opened(DATA.chunk(time=2))
    assert "zarr" in str(data.t.data.teg)
    assert data.t.data.chunks == ((2, 2), (3,))
    xr.testing.assert_identical(data.compute(), DATA)


def test_cells_are_decoded_behind_it(opened):
    data = opened(encoding=PACKED)
    assert "zarr" in str(data.t.data.teg)
    xr.testing.assert_allclose(data.compute(), DATA)


def test_slices_are_taken_of_it(opened, tmp_path):
    opened()
    with xr.open_zarr(tmp_path / "a.zarr", chunks=None, consolidated=False) as data:
        part = data.isel(time=slice(1, 3), place=0)
        some = data.isel(time=[0, 3])
        with dt.xarray.use():
            assert "zarr" in str(part.chunk().t.data.teg)
            assert isinstance(some.chunk().t.data, dt.Array)
            xr.testing.assert_identical(part.chunk().compute(), DATA.isel(time=[1, 2], place=0))
            xr.testing.assert_identical(some.chunk().compute(), DATA.isel(time=[0, 3]))


def test_times_are_read_through_xarray(opened):
    times = np.array("2001-01-01", "M8[ns]") + np.arange(4) * np.timedelta64(1, "D")
    data = opened(DATA.assign(when=("time", times)))
    xr.testing.assert_identical(data.compute(), DATA.assign(when=("time", times)))


SQUARE = xr.Dataset({"t": (("time", "y", "x"), np.arange(36.0).reshape(4, 3, 3) / 4)})


def test_names_are_left_to_xarray(opened):
    """Which renames dimensions of what it has opened; lengths are alike."""

    def programs(t):
        weights = xr.DataArray([1.0, 2.0, 4.0], dims="y")
        yield t.rename(y="x", x="y") + t.transpose("time", "x", "y")
        yield t.mean("x").rename(y="x") - t.mean("y")
        yield t.weighted(weights).std("y") + t.weighted(weights).var("y")
        yield t.rename(y="z") * t.rename(x="z")

    data = opened(SQUARE)
    assert data.t.data.dims is None
    for ours, theirs in zip(programs(data.t), programs(SQUARE.t), strict=True):
        xr.testing.assert_allclose(ours.compute(), theirs)
