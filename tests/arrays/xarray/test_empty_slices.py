import warnings

import numpy as np
import pytest

import dask_tapestry as dt

xr = pytest.importorskip("xarray")

EMPTY = xr.DataArray(np.full((6, 4), np.nan), dims=("a", "b"))
REDUCTIONS = ["median", "mean", "max", "min", "std", "var", "sum"]
WAYS = {
    "compute": lambda x: x.compute().values,
    "values": lambda x: x.values,
    "asarray": np.asarray,
    "to_numpy": lambda x: x.to_numpy(),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_nothing_is_said_of_slices_without_cells(name, way):
    expected = getattr(EMPTY, name)("a").values
    with dt.xarray.use(), warnings.catch_warnings(action="error"):
        made = WAYS[way](getattr(EMPTY.chunk(a=3), name)("a"))
    assert np.array_equal(made, expected, equal_nan=True)


def test_other_warnings_are_given():
    with dt.xarray.use(), pytest.warns(RuntimeWarning, match="divide by zero"):
        (1 / xr.zeros_like(EMPTY).chunk(a=3)).values  # noqa: B018


def test_arrays_outside_of_xarray_say_it():
    with dt.xarray.use(), pytest.warns(RuntimeWarning, match="All-NaN slice"):
        np.asarray(dt.nanmedian(dt.asarray(EMPTY.values), 0))
