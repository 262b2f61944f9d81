import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays.core import lanes
from dask_tapestry.arrays.statistics.quantile_methods import METHODS
from tests.comparisons import same_bits
from tests.examples import examples

CELLS = st.sampled_from([0.0, 1.0, -1.5, 2.0, 3.25, np.inf, -np.inf, np.nan, 1e30])


@examples(80)
@given(
    st.lists(CELLS, min_size=1, max_size=9),
    st.sampled_from(["f2", "f4", "f8"]),
    st.lists(st.sampled_from([0, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1]), min_size=1, max_size=3),
    st.sampled_from(METHODS),
    st.booleans(),
    st.booleans(),
)
def test_values_are_numpy_s_to_the_bit(cells, kind, q, method, scalar, skip_nan):
    assume(not (skip_nan and np.isnan(cells).all()))  # then NumPy's dtype is that of the cells
    name = "nanquantile" if skip_nan else "quantile"
    chosen = q[0] if scalar else q
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = np.array(cells).astype(kind)
        expected = getattr(np, name)(x, chosen, method=method)
    made = getattr(dt, name)(x, chosen, method=method)
    assert same_bits(made.compute(scheduler="sync"), expected), (x, chosen, method)


@pytest.mark.parametrize("method", ["linear", "lower", "hazen"])
@pytest.mark.parametrize("shape", [(), (3,), (3, 4)])
def test_slices_of_nan_are_told(method, shape):
    x = np.full(shape, np.nan)
    with pytest.warns(RuntimeWarning, match="All-NaN slice encountered"):
        found = dt.nanquantile(x, [0.2, 0.5], method=method).compute()
    assert np.isnan(found).all()


@pytest.mark.parametrize("q", [np.longdouble("0.4"), np.array([0.1, 0.5, 1], "g")])
def test_levels_of_more_bits_than_a_float(q):
    x, weights = np.arange(20, dtype="g"), np.ones(20)
    found, expected = (xp.quantile(x, q, weights=weights, method="inverted_cdf") for xp in (dt, np))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("long", [1, 10**9])
@pytest.mark.parametrize("method", ["linear", "lower", "hazen"])
def test_levels_of_lanes_of_unequal_counts_are_numpy_s(long, method, monkeypatch):
    monkeypatch.setattr(lanes, "LONG_LANE_BYTES", long)
    x = np.random.default_rng(0).random((30, 4, 5))
    x[x > np.linspace(0.4, 1.2, 5)] = np.nan
    q = [0.1, 0.5, 0.5, 1.0]
    made = dt.nanquantile(dt.asarray(x), q, axis=0, method=method)
    assert same_bits(made.compute(), np.nanquantile(x, q, axis=0, method=method))


def test_many_levels_take_no_more_operators_than_a_few():
    x = dt.ones((30, 4))
    few, many = (dt.nanquantile(x, np.linspace(0, 1, n), axis=0) for n in (2, 20))
    assert len(dt.plan(few).core.written.nodes) == len(dt.plan(many).core.written.nodes)
