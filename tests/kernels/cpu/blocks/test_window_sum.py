import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import window_sum
from dask_tapestry_kernels.cpu.jit import compile_service
from tests.comparisons import same_bits

X = np.random.default_rng(0).normal(size=(9, 12)) * 100


def summed(x, out=None, steps=(1, 1), dtype="f8", divisor=1.0, shape=(7, 9), **told):
    singles = (((1, 2), 2.0), ((0, 0), -0.1))
    pairs = (((2, 0), (0, 3), 0.3),)
    how = {"window": (3, 4), "steps": steps, "shape": shape, "dtype": np.dtype(dtype)}
    how |= {"singles": singles, "pairs": pairs, "sign": -1, "divisor": divisor}
    with compile_service.mode("off"):
        return KERNELS["windowsum"](out, x, **{**how, **told})


def expected(x, divisor=1.0):
    x = x.astype("f8")
    total = 0.0 + x[1:8, 2:11] * 2.0
    total = total + x[:7, :9] * -0.1
    return (total + (x[2:, :9] - x[:7, 3:]) * 0.3) / divisor


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8"])
def test_terms_are_added_in_their_order(dtype):
    x = X.astype(dtype)
    assert same_bits(summed(x), expected(x))
    assert same_bits(summed(x, divisor=3.0), expected(x, 3.0))


def test_tiles_do_not_matter(monkeypatch):
    monkeypatch.setattr(window_sum, "TILE_CELLS", 1)
    assert same_bits(summed(X), expected(X))


def test_windows_may_be_apart():
    assert same_bits(summed(X, steps=(2, 3), shape=(4, 3)), expected(X)[::2, ::3].copy())


def test_memory_that_is_given_is_filled():
    out = np.empty((7, 9), "i2")
    assert summed(X, out, dtype="i2") is out
    np.testing.assert_array_equal(out, np.trunc(expected(X)))


def test_no_terms_and_no_cells():
    assert not summed(X, singles=(), pairs=()).any()
    assert summed(X[:, :3], shape=(7, 0)).shape == (7, 0)
