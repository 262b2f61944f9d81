"""Means of datetimes and timedeltas are xarray's to the unit, lazy, and one reduction of groups."""

import numpy as np
import pytest

xr = pytest.importorskip("xarray")

import dask_tapestry as dt  # noqa: E402

CHUNKS = {"time": (37, 63, 1, 299), "x": 2}
DAYS = np.datetime64("2001-01-01") + np.arange(400)
MEANS = {
    "all cells": lambda x, **options: x.mean(**options),
    "along an axis": lambda x, **options: x.mean("time", **options),
    "coarser": lambda x, **options: x.coarsen(time=10).mean(),
    "months": lambda x, **options: x.groupby("time.month").mean(**options),
    "months and places": lambda x, **options: x.groupby("time.month").mean(..., **options),
    "resampled": lambda x, **options: x.resample(time="MS").mean(**options),
    "more often": lambda x, **options: x.resample(time="12h").asfreq(),
}


def times(dtype, span):
    rng = np.random.default_rng(7)
    cells = rng.integers(-span, span, (400, 3)).astype("m8[s]").view("i8")
    cells = cells.astype(f"{dtype[:2]}[s]").astype(dtype)
    cells[rng.random(cells.shape) < 0.1] = "NaT"
    cells[:, 1] = "NaT"
    return xr.DataArray(cells, {"time": DAYS}, ("time", "x"))


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("skipna", [None, False])
@pytest.mark.parametrize("name", MEANS)
@pytest.mark.parametrize("dtype", ["M8[s]", "m8[s]", "M8[us]", "m8[us]"])
def test_means_are_those_of_arrays_in_memory(dtype, name, skipna):
    for span in (10, 10**5, 10**9):
        memory = times(dtype, span)
        expected = MEANS[name](memory, skipna=skipna)
        with dt.xarray.use():
            found = MEANS[name](memory.chunk(CHUNKS), skipna=skipna)
            assert isinstance(found.data, dt.Array)
            xr.testing.assert_identical(found.compute(), expected)
            assert found.dtype == expected.dtype


def test_sums_do_not_overflow():
    far = np.full((300, 2), "2200-01-01", "M8[ns]")
    with dt.xarray.use():
        data = xr.DataArray(far, {"time": DAYS[:300]}, ("time", "x")).chunk(time=7)
        assert (data.mean("time").values == far[0]).all()
        assert (data.groupby("time.month").mean().values == far[:10]).all()


def test_nothing_is_computed_and_graphs_do_not_grow_with_groups():
    never = dt.placeholder((366 * 24, 2), "M8[ns]")  # it cannot be computed
    hours = np.datetime64("2000-01-01T00", "h") + np.arange(366 * 24)
    with dt.xarray.use():
        data = xr.DataArray(never, {"time": hours}, ("time", "x"))
        counts = {
            len(mean.data.teg.nodes)
            for mean in (data.resample(time="D").mean(), data.resample(time="6h").mean())
        }
    assert len(counts) == 1


def test_datasets_with_numbers_and_times_without_the_groups():
    memory = xr.Dataset({"a": times("M8[s]", 100), "b": ("time", np.arange(400.0))})
    memory = memory.assign(c=memory.a[0], d=memory.b[0])
    expected = memory.groupby("time.month").mean(...)
    with dt.xarray.use():
        found = memory.chunk(time=50).groupby("time.month").mean(...)
        xr.testing.assert_allclose(found.compute(), expected)


def test_labels_in_chunks():
    memory = times("M8[s]", 100).transpose("x", "time")
    kind = xr.DataArray(np.arange(400) % 3, dims="time", name="kind")
    expected = memory.groupby(kind).mean()
    with dt.xarray.use():
        lazy = memory.chunk(time=90).assign_coords(kind=kind.chunk(time=70))
        grouper = xr.groupers.UniqueGrouper(labels=np.array([0, 1, 2, 9]))
        found = lazy.groupby(kind=grouper).mean().compute()
    assert np.array_equal(found.values[:, :3], expected.values, equal_nan=True)
    assert np.isnat(found.values[:, 3]).all()
