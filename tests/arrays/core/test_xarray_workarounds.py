"""Attributes that xarray would misunderstand."""

import dask
import numpy as np
import pytest
import xarray as xr

import dask_tapestry as dt

CELLS = np.arange(12).reshape(3, 4)


@pytest.mark.parametrize("dims", [None, ("a", "b")])
def test_a_bare_array_is_no_variable(dims):
    data = xr.DataArray(CELLS, dims=("x", "y"))
    other = dt.from_array(CELLS % 2 == 0, dims=dims)
    xr.testing.assert_identical(data.where(other).compute(), data.where(CELLS % 2 == 0))
    assert other.dims == dims


def test_a_data_array_takes_the_names_of_dimensions_and_any_name_without_a_count():
    data = xr.DataArray(dt.from_array(CELLS, dims=("x", "y")))
    assert data.dims == ("x", "y")
    assert data.to_dataset()[data.name].dims == ("x", "y")
    picked = dt.from_array(CELLS)[dt.from_array(CELLS) > 4]
    assert picked.deferred is not None


def test_a_variable_is_persisted():
    (kept,) = dask.persist(xr.Variable(("x", "y"), dt.from_array(CELLS) + 1))
    assert isinstance(kept.data, dt.Array)
    np.testing.assert_array_equal(kept.values, CELLS + 1)


@pytest.mark.parametrize(
    "places",
    [
        {"x": [0, 2], "y": [1, 3]},
        {"x": [0, 2], "y": [1, 3, 0]},
        {"x": 1, "y": [3, 0]},
        {"x": [2], "z": [1, 0]},
        {"x": 2, "z": [1, 0]},
    ],
)
def test_xarray_s_lists_are_an_outer_product(places):
    data = xr.DataArray(np.arange(24).reshape(3, 4, 2), dims=("x", "y", "z"))
    ours = data.copy(data=dt.from_array(data.data))
    xr.testing.assert_identical(ours.isel(places).compute(), data.isel(places))


def test_lists_are_pointwise_to_others():
    places = np.array([0, 2]), np.array([1, 3])
    np.testing.assert_array_equal(dt.from_array(CELLS)[places].compute(), CELLS[places])
