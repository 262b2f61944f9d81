import numpy as np

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import window_call

X = np.arange(30).reshape(5, 6)


def called(out=None, steps=(1, 1), shape=(4, 4), dtype="f8"):
    how = {"window": (2, 3), "steps": steps, "shape": shape, "dtype": np.dtype(dtype)}
    places = ((0, 0), (1, 2))
    return KERNELS["windowcall"](out, X, places=places, function=lambda c: c[1] - c[0] / 2, **how)


EXPECTED = X[1:, 2:] - X[:4, :4] / 2


def test_each_window_is_called_for(monkeypatch):
    np.testing.assert_array_equal(called(), EXPECTED)
    monkeypatch.setattr(window_call, "HELD", 1)
    monkeypatch.setattr(window_call, "LEAST_TILE", 1)
    np.testing.assert_array_equal(called(steps=(2, 3), shape=(2, 2)), EXPECTED[::2, ::3])


def test_memory_that_is_given_is_filled():
    out = np.empty((4, 4), "i2")
    assert called(out, dtype="i2") is out
    np.testing.assert_array_equal(out, np.trunc(EXPECTED))
    assert called(shape=(0, 4)).shape == (0, 4)
