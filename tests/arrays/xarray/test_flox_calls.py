"""What is asked of flox for arrays of this library is computed here."""

import numpy as np
import pandas as pd
import pytest

xarray = pytest.importorskip("xarray")

import dask_tapestry as dt  # noqa: E402
from dask_tapestry.arrays.xarray.flox_calls import reduced_by_us  # noqa: E402

X = np.random.default_rng(0).normal(size=(4, 30))
LABELS = np.arange(30) % 4
CALLS = {
    "sum": {"func": "sum", "expected_groups": (pd.RangeIndex(4),), "engine": "numpy"},
    "axis": {"func": "nanmax", "axis": (-1,), "min_count": 1, "method": "cohorts"},
    "bins": {"func": "mean", "expected_groups": (np.array([-1, 1, 3]),), "isbin": True},
    "intervals": {"func": "mean", "expected_groups": (pd.IntervalIndex.from_breaks([-1, 1, 3]),)},
    "std": {"func": "std", "finalize_kwargs": {"ddof": 1}},
    "quantile": {"func": "quantile", "finalize_kwargs": {"q": [0.1, 0.5]}},
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_of_flox_means_the_same_here(name):
    made = []
    here = reduced_by_us(lambda *args, **how: made.append(args))
    found, *_ = here(dt.from_array(X, chunks=(2, 7)), LABELS, **CALLS[name])
    bins = name in ("bins", "intervals")
    groups = [[0, 1], [2, 3]] if bins else [[0], [1], [2], [3]]
    function = {
        "sum": np.sum, "axis": np.max, "std": lambda x, a: np.std(x, a, ddof=1),
        "quantile": lambda x, a: np.quantile(x, [0.1, 0.5], a),
    }.get(name, np.mean)  # fmt: skip
    expected = np.stack([function(X[:, np.isin(LABELS, own)], -1) for own in groups], -1)
    np.testing.assert_allclose(found.compute(), expected)
    assert not made


def test_other_arrays_and_functions_are_left_to_flox():
    here = reduced_by_us(lambda *args, func, **how: func)
    assert here(X, LABELS, func="sum") == "sum"
    assert here(dt.asarray(X), LABELS, func="mode") == "mode"


def test_with_flox_xarray_and_flox_make_arrays_of_this_library():
    pytest.importorskip("flox")
    from flox.xarray import xarray_reduce

    labels = xarray.DataArray(LABELS, dims="time", name="k")
    memory = xarray.DataArray(X, dims=("x", "time"), name="t")
    with dt.xarray.use(), xarray.set_options(use_flox=True):
        lazy = memory.chunk(time=7)
        for name in ("mean", "max", "first", "median", "cumsum"):
            found = getattr(lazy.groupby(labels), name)()
            assert isinstance(found.data, dt.Array)
            xarray.testing.assert_allclose(found.compute(), getattr(memory.groupby(labels), name)())
        found = xarray_reduce(lazy, labels, func="mean")
        assert isinstance(found.data, dt.Array)
        xarray.testing.assert_allclose(found.compute(), xarray_reduce(memory, labels, func="mean"))


def test_the_option_is_left_to_the_user():
    for wanted in (True, False):
        with xarray.set_options(use_flox=wanted), dt.xarray.use():
            assert xarray.get_options()["use_flox"] is wanted


def test_running_totals_of_groups_have_the_dimensions_in_the_order_of_flox():
    pytest.importorskip("flox")
    memory = xarray.Dataset(
        {"t": (("x", "time", "y"), np.ones((2, 7, 3))), "f": ("time", np.arange(7.0))},
        {"k": ("time", list("abcabca"))},
    )
    with dt.xarray.use(), xarray.set_options(use_flox=True):
        lazy = memory.map(lambda held: held.chunk())
        for one, other in ((memory, lazy), (memory.t, lazy.t)):
            expected = one.groupby("k").cumsum("time")
            xarray.testing.assert_allclose(other.groupby("k").cumsum("time").compute(), expected)
