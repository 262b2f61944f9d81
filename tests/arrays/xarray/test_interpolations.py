"""What xarray interpolates has the dtype that it has of arrays in memory, and its digits."""

import numpy as np
import pytest

xarray = pytest.importorskip("xarray")
pytest.importorskip("scipy")

import dask_tapestry as dt  # noqa: E402

CELLS = np.random.default_rng(1).normal(size=(20, 9, 7))
P = xarray.DataArray(np.linspace(0.2, 5.6, 5), dims="p")
TARGETS = {
    "places": {"a": [0.5, 1.5, 7.1]},
    "times": {"time": P * 3},
    "grid": {"a": [0.5, 1.5], "b": [0.2, 0.3]},
    "track": {"a": P, "b": P},
    "track in time": {"a": P, "b": P, "time": P},
}


@pytest.mark.covering
@pytest.mark.parametrize("targets", TARGETS)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "c8"])
@pytest.mark.parametrize(
    "method", ["linear", "nearest", "slinear", "cubic", "pchip", ("polynomial", 7)]
)
def test_it_is_as_in_memory(targets, dtype, method):
    how = {"kwargs": {"order": method[1]}} if isinstance(method, tuple) else {}
    how["method"] = method if isinstance(method, str) else method[0]
    cells = CELLS.astype(dtype)
    sides = dict(zip(("time", "a", "b"), map(np.arange, cells.shape), strict=True))
    memory = xarray.DataArray(cells, dims=tuple(sides), coords=sides)
    try:
        expected = memory.interp(TARGETS[targets], **how)
    except (ValueError, TypeError):
        pytest.skip("SciPy has none")
    with dt.xarray.use():
        found = memory.chunk(time=7, a=4).interp(TARGETS[targets], **how)
        assert isinstance(found.data, dt.Array)
        assert found.dtype == expected.dtype
        xarray.testing.assert_allclose(found.compute(), expected, rtol=1e-12)


@pytest.mark.parametrize(
    "how", [{}, {"use_coordinate": False}, {"method": "nearest"}, {"limit": 2}]
)
def test_gaps_are_filled_as_in_memory(how):
    if "limit" in how:
        pytest.importorskip("bottleneck")
    cells = CELLS.astype("f4")
    cells[np.random.default_rng(2).random(cells.shape) < 0.4] = np.nan
    memory = xarray.DataArray(
        cells, dims=("time", "a", "b"), coords={"time": np.arange(20.0) ** 2}, attrs={"of": "it"}
    )
    expected = memory.interpolate_na("time", **how)
    with dt.xarray.use():
        found = memory.chunk(time=7, a=4).interpolate_na("time", **how)
        assert isinstance(found.data, dt.Array)
        assert found.compute().identical(expected)
