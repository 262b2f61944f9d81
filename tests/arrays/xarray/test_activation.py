"""Everything that xarray does with arrays of the library: lazily, and as with NumPy's."""

import dask
import dask.array as da
import numpy as np
import pytest
import xarray as xr
from dask import graph_manipulation
from xarray.namedarray.parallelcompat import list_chunkmanagers

import dask_tapestry as dt

VALUES = np.random.default_rng(0).normal(size=(12, 4, 6))
VALUES[VALUES > 1] = np.nan
DATA = xr.DataArray(
    VALUES,
    {
        "time": np.array("2001-01-15", "M8[ns]") + np.arange(12) * np.timedelta64(30, "D"),
        "x": [10.0, 20.0, 30.0, 40.0],
    },
    ("time", "x", "y"),
    "t",
)
LABEL = xr.DataArray(list("abcabc"), dims="y", name="label")
OTHER = DATA.isel(time=0) + 1


def refuse(*args, **kwargs):
    raise AssertionError("computed")


@pytest.fixture(autouse=True)
def with_our_manager():
    with dt.xarray.use():
        yield


OPERATIONS = {
    "arithmetic": lambda d: (d - d.mean("time")) / d.std("time") + OTHER,
    "where": lambda d: d.where(d > 0, -1),
    "fillna": lambda d: d.fillna(d.mean()),
    "groupby": lambda d: d.groupby("time.season").mean(),
    "groupby of a coordinate": lambda d: d.groupby(LABEL).sum(),
    "anomalies": lambda d: d.groupby("time.season") - d.groupby("time.season").mean(),
    "resample": lambda d: d.resample(time="QS").max(),
    "rolling": lambda d: d.rolling(time=3, center=True).mean(),
    "rolling with few": lambda d: d.rolling(x=2, min_periods=1).sum(),
    "windows": lambda d: d.rolling(time=3).construct("window").std("window"),
    "coarsen": lambda d: d.coarsen(time=3, x=2).mean(),
    "quantile": lambda d: d.quantile([0.1, 0.5], ("time", "x")),
    "median": lambda d: d.median("time"),
    "pad": lambda d: d.pad(time=2, mode="reflect"),
    "stack": lambda d: d.stack(place=("x", "y")).unstack("place"),
    "two lists": lambda d: d.isel(x=[0, 3], y=[5, 0, 1]),
    "reindex": lambda d: d.reindex(x=[10.0, 15.0, 40.0]),
    "pointwise": lambda d: d.isel(x=xr.Variable("p", [0, 3]), y=xr.Variable("p", [5, 0])),
    "shift": lambda d: d.shift(time=2).roll(x=1),
    "diff": lambda d: d.diff("time").cumsum("x"),
    "gradients": lambda d: d.differentiate("x"),
    "integrate": lambda d: d.fillna(0).integrate("x"),
    "concat": lambda d: xr.concat([d, d.isel(time=0)], "time"),
    "sortby": lambda d: d.sortby("x", ascending=False),
    "weighted": lambda d: d.weighted(xr.DataArray([1.0, 2, 3, 4], dims="x")).mean("x"),
    "dot": lambda d: xr.dot(d.fillna(0), OTHER.fillna(0), dim="x"),
    "argmax": lambda d: d.argmax("time", skipna=True),
    "ufunc of blocks": lambda d: xr.apply_ufunc(
        np.sort, d, input_core_dims=[["time"]], output_core_dims=[["time"]],
        dask="parallelized", output_dtypes=[d.dtype], dask_gufunc_kwargs={"allow_rechunk": True},
    ),
    "ufunc": lambda d: xr.apply_ufunc(lambda a: a * 2, d, dask="allowed"),
    "map_blocks": lambda d: xr.map_blocks(lambda b: b * 2, d),
    "parts of times": lambda d: xr.DataArray(d.time.values, dims="time").chunk(3).dt.month,
    "astype": lambda d: d.fillna(0).astype("f4").clip(0, 1).round(1),
}  # fmt: skip


@pytest.mark.few(16)  # as unlike as so many can be
@pytest.mark.parametrize("name", OPERATIONS)
def test_it_stays_lazy_and_ours(name):
    function = OPERATIONS[name]
    with dask.config.set(scheduler=refuse):
        result = function(DATA.chunk(time=5, x=2))
    assert isinstance(result.data, dt.Array)
    expected = function(DATA)
    xr.testing.assert_allclose(result.compute(), expected)


def test_points_between_are_interpolated():
    pytest.importorskip("scipy")
    result = DATA.chunk(time=5, x=2).interp(x=[15.0, 31.0], y=[0.5, 3.0])
    assert isinstance(result.data, dt.Array)
    xr.testing.assert_allclose(result.compute(), DATA.interp(x=[15.0, 31.0], y=[0.5, 3.0]))


def test_missing_cells_are_filled_along_an_axis():
    pytest.importorskip("bottleneck")
    data = DATA.chunk(time=5)
    assert isinstance(data.ffill("time").data, dt.Array)
    xr.testing.assert_identical(data.ffill("time").compute(), DATA.ffill("time"))
    xr.testing.assert_identical(data.bfill("time").compute(), DATA.bfill("time"))


def test_datasets_are_computed_kept_and_cloned():
    data = DATA.to_dataset().assign(u=DATA * 2).chunk(time=5)
    assert data.chunks["time"] == (5, 5, 2)
    whole = data.compute()
    (kept,) = dask.persist(data)
    (value,) = dask.compute(data)
    (mixed, number) = dask.compute(data.t + 1, da.ones(3, chunks=2).sum())
    for found in (data.persist(), kept, graph_manipulation.clone(data)):
        assert isinstance(found.u.data, dt.Array)
        xr.testing.assert_identical(found.compute(), whole)
    xr.testing.assert_identical(value, whole)
    xr.testing.assert_identical(mixed, whole.t + 1)
    assert number == 3


def test_arrays_of_dask_s_are_served():
    theirs = xr.DataArray(da.from_array(VALUES, 4), dims=("time", "x", "y"))
    assert isinstance(theirs.chunk(time=3).data, dt.Array)
    np.testing.assert_array_equal(theirs.compute().data, VALUES)


def test_writes_to_zarr(tmp_path):
    data = DATA.to_dataset().chunk(time=4)
    store = str(tmp_path / "a.zarr")
    data.isel(time=slice(0, 8)).to_zarr(store, consolidated=False)
    data.isel(time=slice(8, 12)).to_zarr(store, append_dim="time", consolidated=False)
    read = xr.open_zarr(store, consolidated=False)
    assert isinstance(read.t.data, dt.Array)
    xr.testing.assert_identical(read.compute(), data.compute())
    late = (data + 1).isel(time=slice(4, 8)).drop_vars(["x"])
    write = late.to_zarr(store, region={"time": slice(4, 8)}, compute=False, consolidated=False)
    assert float(xr.open_zarr(store, consolidated=False).t[4, 0, 0]) == VALUES[4, 0, 0]
    write.compute()
    np.testing.assert_array_equal(
        xr.open_zarr(store, consolidated=False).t[4:8].values, VALUES[4:8] + 1
    )


@pytest.mark.parametrize("engine", ["h5netcdf", "scipy"])
def test_writes_to_netcdf(tmp_path, engine):
    pytest.importorskip(engine)
    data = DATA.to_dataset()
    data.isel(time=slice(0, 6)).chunk(time=2).to_netcdf(tmp_path / "0.nc", engine=engine)
    write = (
        data.isel(time=slice(6, 12))
        .chunk(time=2)
        .to_netcdf(tmp_path / "1.nc", engine=engine, compute=False)
    )
    write.compute()
    files = sorted(tmp_path.glob("*.nc"))
    with xr.open_mfdataset(files, engine=engine, parallel=True) as read:
        assert isinstance(read.t.data, dt.Array)
        xr.testing.assert_identical(read.compute(), data)


def test_representations_name_the_arrays():
    data = DATA.to_dataset().chunk(time=5)
    assert "dt.Array<" in repr(data)
    assert "dt.Array" in data.t._repr_html_()


def test_the_manager_before_comes_back():
    ours = list_chunkmanagers()["dask"]
    with dt.xarray.use():
        assert list_chunkmanagers()["dask"] is not ours
    assert list_chunkmanagers()["dask"] is ours
    assert isinstance(ours, dt.xarray.TapestryManager)
