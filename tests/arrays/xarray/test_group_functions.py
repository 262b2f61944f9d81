"""Which functions of arrays are reductions of groups, and of what cells."""

import numpy as np
import pytest

pytest.importorskip("xarray")

from xarray.core import duck_array_ops

import dask_tapestry as dt
from dask_tapestry.arrays.xarray.group_functions import (
    GroupFunction,
    group_function,
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
