import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.arrays.folding import FULL, check, few, small


@few
@given(st.data())
def test_trapezoid_is_numpys(data):
    y = small(
        data.draw, data.draw(FULL), data.draw(st.sampled_from(["?", "i4", "f4", "f8", "c16"]))
    )
    axis = data.draw(st.integers(-y.ndim, max(y.ndim - 1, 0)))
    options = {"axis": axis}
    kind = data.draw(st.sampled_from(["none", "dx", "vector", "array"]))
    if kind == "dx":
        options["dx"] = data.draw(st.sampled_from([0.5, 3]))
    elif kind == "vector" and y.ndim and -y.ndim <= axis < y.ndim:
        options["x"] = np.arange(y.shape[axis]) ** 2.0
    elif kind == "array":
        options["x"] = np.arange(y.size).reshape(y.shape) ** 2.0
    check(lambda: dt.trapezoid(y, **options), lambda: np.trapezoid(y, **options), rtol=1e-5)


@few
@given(st.data())
def test_unwrap_is_numpys(data):
    p = small(data.draw, data.draw(FULL), data.draw(st.sampled_from(["i4", "u1", "f4", "f8"])))
    options = {"axis": data.draw(st.integers(-p.ndim, max(p.ndim - 1, 0)))}
    options |= data.draw(st.sampled_from([{}, {"period": 4}, {"period": 3}, {"discont": 4.0}]))
    check(lambda: dt.unwrap(p, **options), lambda: np.unwrap(p, **options), rtol=1e-5)


@pytest.mark.parametrize("dtype", ["?", "u1", "f2", "f4", "c8", "m8[s]"])
def test_the_dtype_of_an_integral_is_numpys(dtype):
    y = np.arange(5).astype(dtype)
    for options in ({}, {"dx": 2}, {"dx": np.float64(2)}, {"dx": [1, 2, 1, 2]}):
        check(lambda o=options: dt.trapezoid(y, **o), lambda o=options: np.trapezoid(y, **o), 1e-3)


def test_numpys_functions_lead_here():
    x = dt.arange(5.0)
    assert isinstance(np.trapezoid(x), dt.Array)
    assert isinstance(np.unwrap(x), dt.Array)


def test_places_that_do_not_fit():
    with pytest.raises(ValueError, match="broadcast"):
        dt.trapezoid(np.ones(4), x=np.ones(3))
