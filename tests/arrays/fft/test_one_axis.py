import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.arrays.folding import few
from tests.arrays.parity import refused

X = np.random.default_rng(0).random((4, 5, 6))
NAMES = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]


@few
@given(
    name=st.sampled_from(NAMES),
    axis=st.integers(-3, 2),
    n=st.none() | st.integers(1, 9),
    norm=st.sampled_from([None, "backward", "ortho", "forward"]),
    chunks=st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(1, 6)),
)
def test_values_are_numpys(name, axis, n, norm, chunks):
    found = getattr(dt.fft, name)(dt.asarray(X).rechunk(chunks), n, axis, norm).compute()
    np.testing.assert_array_equal(found, getattr(np.fft, name)(X, n, axis, norm), strict=True)


@pytest.mark.parametrize("name", NAMES)
def test_numpys_functions_reach_ours(name):
    found = getattr(np.fft, name)(dt.asarray(X))
    assert isinstance(found, dt.Array)
    np.testing.assert_array_equal(found.compute(), getattr(np.fft, name)(X), strict=True)


@pytest.mark.parametrize("name", NAMES)
def test_axis_none_is_the_last_as_in_dask(name):
    found = getattr(dt.fft, name)(X, None, None)
    np.testing.assert_array_equal(found.compute(), getattr(np.fft, name)(X))


@pytest.mark.parametrize("name", NAMES)
def test_out_takes_the_value(name):
    expected = getattr(np.fft, name)(X)
    out = dt.zeros(expected.shape, expected.dtype)
    assert getattr(dt.fft, name)(X, out=out) is out
    np.testing.assert_array_equal(out.compute(), expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0,)])
def test_arrays_without_cells(name, shape):
    x = np.zeros(shape)
    found = getattr(dt.fft, name)(dt.asarray(x), 4)
    theirs = getattr(np.fft, name)(x, 4)  # whose irfft of no cells has arbitrary values
    np.testing.assert_array_equal(found.compute(), np.zeros_like(theirs), strict=True)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "call",
    [
        lambda f, x: f(x(X), 0),
        lambda f, x: f(x(X), -2),
        lambda f, x: f(x(X), axis=3),
        lambda f, x: f(x(np.zeros(0))),
        lambda f, x: f(x(np.float64(3)), 2),
        lambda f, x: f(x(X), norm="half"),
        lambda f, x: f(x(X), 2.5),
        lambda f, x: f(x(np.array(["a", "b"]))),
    ],
)
def test_what_numpy_refuses_is_refused(name, call):
    refused(lambda library, x: call(getattr(library.fft, name), x))


def test_complex_cells_have_no_real_transform():
    for name in ("rfft", "ihfft"):
        refused(lambda library, x, f=name: getattr(library.fft, f)(x(X + 1j)))
