"""Windows that reach back to the first cell have xarray's values, by running totals."""

import warnings

import numpy as np
import pytest

xarray = pytest.importorskip("xarray")

import dask_tapestry as dt  # noqa: E402

RANDOM = np.random.default_rng(5)
CELLS = RANDOM.normal(size=(30, 4))
CELLS[RANDOM.random(CELLS.shape) < 0.3] = np.nan
CELLS[:5, 1] = np.nan
KINDS = {
    "f8": CELLS,
    "f4": CELLS.astype("f4"),
    "i2": RANDOM.integers(-9, 9, (30, 4)).astype("i2"),
    "u1": RANDOM.integers(0, 200, (30, 4)).astype("u1"),
    "bool": RANDOM.random((30, 4)) < 0.5,
}
WAYS = {
    "cumulative": lambda x, least: x.cumulative("time", min_periods=least),
    "both": lambda x, least: x.cumulative(["time", "x"], min_periods=least),
    "longer": lambda x, least: x.rolling(time=99, min_periods=least),
}


@pytest.mark.few(9)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "count", "std", "var"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("least", [1, 3])
def test_they_are_xarrays(name, kind, way, least):
    if kind == "bool" and name in ("prod", "std", "var"):
        pytest.skip("xarray has none of booleans")
    memory = xarray.DataArray(
        KINDS[kind], dims=("time", "x"), coords={"time": np.arange(30)}, attrs={"units": "K"}
    ).rename("t")
    with dt.xarray.use():
        for keep in (True, False):
            made = getattr(WAYS[way](memory.chunk(time=7), least), name)(keep_attrs=keep)
            assert isinstance(made.data, dt.Array)
            expected = getattr(WAYS[way](memory, least), name)(keep_attrs=keep)
            close = 1e-3 if expected.dtype == "f4" else 1e-9
            xarray.testing.assert_allclose(made, expected, rtol=close, atol=close)
            assert (made.dtype, made.attrs, made.name) == (expected.dtype, expected.attrs, "t")


@pytest.mark.parametrize("ddof", [0, 1, 3])
@pytest.mark.parametrize("name", ["std", "var"])
def test_spreads_far_from_zero_keep_their_digits(name, ddof):
    memory = xarray.DataArray(CELLS + 1e6, dims=("time", "x"))
    with dt.xarray.use():
        made = getattr(memory.chunk(time=7).cumulative("time"), name)(ddof=ddof)
        assert "windows" not in str(made.data.teg)
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            expected = getattr(memory.cumulative("time"), name)(ddof=ddof)
        with warnings.catch_warnings(action="error"):
            cells = made.values
        np.testing.assert_allclose(cells, expected.values, rtol=1e-8)


def test_those_of_a_dataset():
    memory = xarray.Dataset({"t": (("time", "x"), CELLS), "n": ("x", np.arange(4))})
    with dt.xarray.use():
        made = memory.chunk(time=7).cumulative("time").mean()
        xarray.testing.assert_allclose(made, memory.cumulative("time").mean())


def test_others_are_left_to_xarray():
    memory = xarray.DataArray(CELLS, dims=("time", "x"))
    with dt.xarray.use():
        for way in (
            lambda x: x.rolling(time=30, center=True, min_periods=1).sum(),
            lambda x: x.rolling(time=29, min_periods=1).sum(),
            lambda x: x.rolling(time=40, x=2, min_periods=1).max(),
            lambda x: x.rolling(time=30, min_periods=1).reduce(np.nansum),
            lambda x: x.rolling(time=30, min_periods=1).construct("w").sum("w"),
        ):
            xarray.testing.assert_allclose(way(memory.chunk(time=7)), way(memory))


def test_cells_are_read_once_and_not_n_times():
    with dt.xarray.use():
        maps = dt.placeholder((14_610, 721, 1440), "f4", stored_chunks=(24, 721, 1440))
        mean = xarray.DataArray(maps, dims=("time", "lat", "lon")).cumulative("time").mean()
        spread = xarray.DataArray(maps, dims=("time", "lat", "lon")).cumulative("time").std()
        assert "windows" not in str(mean.data.teg) + str(spread.data.teg)
        plan = dt.plan(mean.data, resources=dt.Resources(workers=50, threads=4, memory="16 GiB"))
        assert plan.cost["bytes_read"] == maps.nbytes
