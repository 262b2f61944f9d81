import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import window_fold
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(2)


def folded(x, window, fold, dtype=None, steps=None, out=None):
    steps = (1,) * x.ndim if steps is None else steps
    ways = zip(x.shape, window, steps, strict=True)
    shape = tuple((n - w) // step + 1 for n, w, step in ways)
    dtype = x.dtype if dtype is None else np.dtype(dtype)
    how = {"window": window, "steps": steps, "shape": shape, "dtype": dtype, "fold": fold}
    return KERNELS["windowfold"](out, x, **how)


def windows(x, window):
    return np.lib.stride_tricks.sliding_window_view(x, window)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8"])
@pytest.mark.parametrize("window", [(1, 1), (2, 1), (1, 3), (4, 5), (7, 6)])
def test_extremes_of_boxes(dtype, window):
    x = (RANDOM.normal(size=(20, 30)) * 9).astype(dtype)
    every = windows(x, window)
    assert same_bits(folded(x, window, "minimum"), every.min((2, 3)))
    assert same_bits(folded(x, window, "maximum"), every.max((2, 3)))


def test_extremes_of_windows_with_a_nan_are_nan():
    x = RANDOM.normal(size=(12, 12))
    x[5, 5] = np.nan
    found = folded(x, (3, 5), "minimum")
    np.testing.assert_array_equal(np.isnan(found), np.isnan(windows(x, (3, 5))).any((2, 3)))


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 70, 100])
def test_means_of_integers_are_exact(length):
    x = RANDOM.integers(-(2**40), 2**40, 120)
    exact = windows(x, length).sum(-1) / length
    np.testing.assert_array_equal(folded(x, (length,), "mean", "f8"), exact)
    np.testing.assert_array_equal(folded(x, (length,), "mean"), np.trunc(exact).astype("i8"))


@pytest.mark.parametrize(
    ("dtype", "result"), [("?", "i8"), ("u1", "u8"), ("i8", "i8"), ("u8", "u8")]
)
def test_sums_of_integers_are_exact_modulo_their_range(dtype, result):
    x = RANDOM.integers(0, 2**63, 120, "u8").astype(dtype)
    for length in (1, 7, 64, 100):
        found = folded(x, (length,), "sum", result)
        assert same_bits(found, windows(x, length).sum(-1, dtype=result))


def test_sums_of_floats_are_of_doubles():
    x = RANDOM.normal(size=(5, 200)).astype("f4")
    expected = windows(x.astype("f8"), (1, 90)).sum((2, 3)).astype("f4")
    np.testing.assert_array_equal(folded(x, (1, 90), "sum"), expected)


def test_means_of_floats_are_of_doubles():
    x = RANDOM.normal(size=(5, 200)).astype("f4")
    expected = windows(x.astype("f8"), (1, 90)).mean((2, 3)).astype("f4")
    np.testing.assert_array_equal(folded(x, (1, 90), "mean"), expected)


@pytest.mark.parametrize("fold", ["mean", "minimum"])
def test_neither_tiles_nor_steps_matter(fold, monkeypatch):
    x = RANDOM.normal(size=(40, 1500))
    window = (9, 1) if fold == "mean" else (9, 5)
    whole = folded(x, window, fold)
    monkeypatch.setattr(window_fold, "TILE_CELLS", 1)
    assert same_bits(folded(x, window, fold), whole)
    assert same_bits(folded(x, window, fold, steps=(3, 4)), whole[::3, ::4].copy())


def test_memory_that_is_given_is_filled():
    out = np.empty((3, 4), "i2")
    assert folded(np.ones((5, 4)), (3, 1), "maximum", "i2", out=out) is out
    assert folded(np.ones((5, 0)), (3, 1), "maximum").shape == (3, 0)
