"""Attributes that xarray would misunderstand."""

import subprocess
import sys

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


def test_a_data_array_takes_the_names_of_dimensions_and_the_name():
    x = dt.from_array(CELLS, dims=("x", "y"))
    data = xr.DataArray(x)
    assert data.dims == ("x", "y")
    assert data.name == x.name
    assert data.to_dataset()[data.name].dims == ("x", "y")


@pytest.mark.parametrize("dims", [None, ("group", "y")])
def test_groups_get_a_bare_array_whole(dims):
    data = xr.DataArray(CELLS, dims=("x", "y"), coords={"group": ("x", [0, 1, 0])})
    other = dt.from_array(CELLS[:1], dims=dims)

    def added(part, array):
        return part + np.asarray(array).sum()

    found = xr.apply_ufunc(added, data.groupby("group"), other, dask="allowed")
    xr.testing.assert_identical(found, xr.apply_ufunc(added, data.groupby("group"), CELLS[:1]))


def test_core_dimensions_are_those_of_named_arrays():
    data = xr.DataArray(CELLS, dims=("x", "y"))
    found = xr.apply_ufunc(
        lambda a, b: a.sum(-1) + np.asarray(b).sum(),
        data,
        dt.from_array(CELLS),
        input_core_dims=[["y"], ["y"]],
        dask="allowed",
    )
    xr.testing.assert_identical(found, data.sum("y") + CELLS.sum())


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


@pytest.mark.few(1)  # a process each
@pytest.mark.parametrize("first", ["xarray", "dask_tapestry"])
def test_it_does_not_matter_what_is_imported_first(first):
    code = f"import {first}, xarray as xr, numpy as np, dask_tapestry as dt\n"
    code += "x = xr.Variable(('a', 'b', 'c'), dt.ones((3, 4, 2)))\n"
    code += "assert x.isel(a=2, c=[1, 0]).data.shape == (4, 2)\n"
    code += "from xarray.core.indexing import DaskIndexingAdapter as adapter\n"
    code += "assert not hasattr(adapter._oindex_get.__wrapped__, 'mended')"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_is_looked_for_where_xarray_is_missing():
    code = "import sys, importlib.machinery as m\n"
    code += "import dask_tapestry as dt\n"
    code += "x = dt.ones(2)\n"
    code += "sys.path_importer_cache.clear()\n"
    code += "sys.meta_path[:] = [f for f in sys.meta_path if f is not m.PathFinder]\n"
    code += "import importlib.util\n"
    code += "for _ in range(2):\n    assert importlib.util.find_spec('xarray') is None\n"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_attributes_are_the_same_for_every_caller():
    """A function that says it is xarray's sees what others see."""
    x = dt.from_array(CELLS, dims=("x", "y"))
    seen = {"__name__": "xarray.core.computation", "x": x}
    exec("names, expr, name = x.dims, x.expr, x.name", seen)
    assert (seen["names"], seen["name"]) == (x.dims, x.name)


def test_lists_are_pointwise_to_others():
    places = np.array([0, 2]), np.array([1, 3])
    np.testing.assert_array_equal(dt.from_array(CELLS)[places].compute(), CELLS[places])
