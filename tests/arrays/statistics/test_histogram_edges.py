import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.statistics.histogram_edges import DOUBLE, bin_edges

X = np.array([0.5, 3.0, 1.0, 2.5, 9.0])
pytestmark = pytest.mark.usefixtures("sync")


@pytest.mark.parametrize("bounds", [(0, None), (None, 4), (None, None)])
@pytest.mark.parametrize("density", [False, True])
def test_bounds_may_be_computed(bounds, density):
    x = dt.from_array(X, chunks=2)
    lazy = [x.min() if bounds[0] is None else 0, x.max() - 1 if bounds[1] is None else 4]
    known = [float(one) for one in lazy]
    made, edges = dt.histogram(x, 5, range=lazy, density=density)
    counts, expected = np.histogram(X, 5, range=known, density=density)
    np.testing.assert_array_equal(made, counts)
    np.testing.assert_allclose(edges, expected, rtol=1e-15)


def test_bounds_in_memory_are_known():
    edges, even = bin_edges(dt.asarray(X), 2, (dt.asarray(0), dt.asarray(4)), DOUBLE)
    assert even
    np.testing.assert_array_equal(edges, [0, 2, 4])


def test_bounds_that_descend_are_refused_when_computed():
    x = dt.from_array(X, chunks=2)
    edges, _ = bin_edges(x, 2, (x.max(), x.min()), DOUBLE)
    with pytest.raises(ValueError, match="max must be larger than min"):
        edges.compute()
    with pytest.raises(dt.ArgumentError, match="two numbers"):
        bin_edges(x, 2, (x, x.max()), DOUBLE)


@pytest.mark.parametrize("bounds", [1, [0, 1, 2], [0], np.array([[0, 1]]), dt.asarray([[0, 1]])])
def test_a_range_is_two_numbers(bounds):
    kind = TypeError if isinstance(bounds, int) else ValueError
    for function in (dt.histogram, dt.histogram_bin_edges):
        with pytest.raises(kind, match="`range` is two numbers") as caught:
            function(dt.arange(3), 4, range=bounds)
        assert isinstance(caught.value, dt.TapestryError)
