import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

import dask_tapestry as dt
from tests.arrays.parity import refused

X = np.arange(60.0).reshape(4, 5, 3)


@pytest.mark.parametrize(
    ("window", "axis"),
    [((2, 3, 1), None), (2, 1), ((2, 2), (0, 2)), ((2, 2), (1, 1)), (3, -1), ((), ()), (0, 0)],
)
@pytest.mark.parametrize("chunks", [(4, 5, 3), (1, 2, 2)])
def test_windows_are_numpy_s(window, axis, chunks):
    expected = sliding_window_view(X, window, axis)
    ours = dt.from_array(X, chunks=chunks)
    for found in (
        dt.overlap.sliding_window_view(ours, window, axis),
        sliding_window_view(ours, window, axis),
    ):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        assert np.array_equal(found.compute(), expected)
    np.testing.assert_allclose(found.sum(axis=-1).compute(), expected.sum(-1))


@pytest.mark.parametrize(
    ("window", "axis"), [((2, 2), None), (9, 0), (-1, 0), (2, 3), ((2,), (0, 1))]
)
def test_what_numpy_refuses(window, axis):
    refused(
        lambda np, a: (dt.overlap if np is dt else np.lib.stride_tricks).sliding_window_view(
            a(X), window, axis
        )
    )


def test_windows_are_values():
    with pytest.raises(dt.ArgumentError, match="writeable"):
        dt.overlap.sliding_window_view(dt.arange(4), 2, writeable=True)


def test_windows_take_no_memory():
    x = dt.overlap.sliding_window_view(dt.ones((1000, 1000)), (100, 100))
    assert x.shape == (901, 901, 100, 100)
    assert x[5, 7].sum().compute() == 10_000
