"""Which functions of arrays are reductions of groups, and of what cells."""

import numpy as np
import pytest

pytest.importorskip("xarray")

import xarray
from xarray.core import duck_array_ops

import dask_tapestry as dt
from dask_tapestry.arrays.xarray.group_functions import (
    GroupFunction,
    group_function,
    in_chunks_of,
    reduced_axes,
)


def test_functions_are_known_with_their_options():
    assert group_function(np.mean, {}) == GroupFunction("mean", False, {})
    assert group_function(np.nanstd, {"ddof": 1}) == GroupFunction("std", True, {"ddof": 1})
    found = group_function(duck_array_ops.sum, {"skipna": None, "min_count": 2})
    assert found == GroupFunction("sum", None, {"min_count": 2})
    for function, options in ((np.ptp, {}), (np.mean, {"dtype": "f4"}), ([], {})):
        assert group_function(function, options) is None


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("mean", "biufcmM"),
        ("sum", "biufc"),
        ("median", "iuf"),
        ("quantile", "iuf"),
        ("max", "biufcmM"),
        ("any", "biufc"),
    ],
)
def test_cells_that_are_taken(name, taken):
    for dtype in ("?", "i2", "u4", "f4", "c8", "M8[s]", "m8[s]"):
        x = dt.zeros(3, dtype)
        assert GroupFunction(name, None, {}).takes(x) == (x.dtype.kind in taken)
    assert not GroupFunction(name, None, {}).takes(np.zeros(3))


def test_integers_that_may_become_floats_are_left_out():
    few = GroupFunction("sum", True, {"min_count": 2})
    assert not few.takes(dt.zeros(3, int))
    assert few.takes(dt.zeros(3))
    assert few._replace(skipna=None).takes(dt.zeros(3, int))


def test_reduced_axes():
    assert reduced_axes(("x", "y"), ...) == (0, 1)
    assert reduced_axes(("x", "y"), ["y", "z"]) == (1,)


def test_all_groups_are_in_one_chunk():
    own = xarray.Variable(("time", "x"), dt.ones((6, 4)).rechunk((2, 3)))
    assert in_chunks_of(own, own).chunks == ((2, 2, 2), (3, 1))
    assert in_chunks_of(own, own, ("time",)).chunks == ((6,), (3, 1))


def test_each_cell_may_be_a_group_in_variables_of_any_dimensions():
    data = xarray.Dataset({"t": (("time", "x"), np.ones((6, 4))), "n": ("x", np.ones(4))})
    with dt.xarray.use():
        lazy = data.chunk(time=2).assign_coords(time=np.arange(6))
        means = lazy.groupby("time").mean()
        assert means.chunks["time"] == (6,)
        assert (lazy.groupby("time") - means).sum().t == 0
