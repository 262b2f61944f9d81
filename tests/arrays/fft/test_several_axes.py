import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.arrays.folding import few
from tests.arrays.parity import refused

X = np.random.default_rng(0).random((4, 5, 6))
NAMES = ["fftn", "ifftn", "rfftn", "irfftn"]


@few
@given(data=st.data(), name=st.sampled_from(NAMES), norm=st.sampled_from([None, "ortho"]))
def test_values_are_numpys(data, name, norm):
    axes = data.draw(st.lists(st.integers(-3, 2), min_size=1, max_size=3))
    n = st.integers(1, 7) | st.just(-1)
    s = data.draw(st.none() | st.lists(n, min_size=len(axes), max_size=len(axes)))
    chunks = data.draw(st.tuples(*[st.integers(1, n) for n in X.shape]))
    x = dt.asarray(X).rechunk(chunks)
    found = getattr(dt.fft, name)(x, s, axes, norm).compute()
    np.testing.assert_array_equal(found, getattr(np.fft, name)(X, s, axes, norm), strict=True)


@pytest.mark.parametrize("name", NAMES)
def test_all_axes_or_the_last(name):
    ours, numpys = getattr(dt.fft, name), getattr(np.fft, name)
    np.testing.assert_array_equal(ours(X).compute(), numpys(X), strict=True)
    with pytest.warns(DeprecationWarning, match="axes"):
        expected = numpys(X, s=(3, 4))
    np.testing.assert_array_equal(ours(X, (3, 4)).compute(), expected, strict=True)
    np.testing.assert_array_equal(getattr(np.fft, name)(dt.asarray(X)).compute(), numpys(X))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "options", [{"s": (3,), "axes": (0, 1)}, {"axes": (4,)}, {"s": (0,), "axes": (0,)}]
)
def test_what_numpy_refuses_is_refused(name, options):
    refused(lambda library, x: getattr(library.fft, name)(x(X), **options))


@pytest.mark.parametrize("name", ["fftn", "ifftn"])
def test_no_axes_leave_the_array_as_it_is(name):
    found = getattr(dt.fft, name)(dt.asarray(X), axes=())
    np.testing.assert_array_equal(found.compute(), getattr(np.fft, name)(X, axes=()), strict=True)


def test_an_image_is_read_once_and_moved_once():
    x = dt.placeholder((20_000, 20_000), "c16", (1000, 1000))
    plan = dt.plan(dt.fft.fft2(x), resources=dt.Resources(16, 1, "4 GiB", "1 GB/s"))
    plan.verify()
    assert plan.cost["bytes_read"] == x.nbytes
    assert plan.cost["bytes_moved"] <= 1.1 * x.nbytes
