import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import window_rank
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(4)


def ranked(x, window, rank, places=None, dtype=None, steps=None, out=None):
    steps = (1,) * x.ndim if steps is None else steps
    ways = zip(x.shape, window, steps, strict=True)
    shape = tuple((n - w) // step + 1 for n, w, step in ways)
    dtype = x.dtype if dtype is None else np.dtype(dtype)
    how = {"window": window, "steps": steps, "shape": shape, "dtype": dtype}
    return KERNELS["windowrank"](out, x, places=places, rank=rank, **how)


def by_sorting(x, window, rank, places=None):
    every = np.lib.stride_tricks.sliding_window_view(x, window)
    places = np.ndindex(*window) if places is None else places
    return np.sort(np.stack([every[(..., *p)] for p in places], -1), -1)[..., rank]


@pytest.mark.parametrize("most", [0, 225])
@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "f8"])
def test_boxes(dtype, most, monkeypatch):
    monkeypatch.setattr(window_rank, "MOST", most)
    x = (RANDOM.normal(size=(30, 20)) * 9).astype(dtype)
    for window, rank in (((3, 3), 4), ((1, 4), 1), ((5, 2), 8), ((1, 1), 0), ((4, 4), 3)):
        assert same_bits(ranked(x, window, rank), by_sorting(x, window, rank))
        wide = ranked(x, window, rank, steps=(2, 3))
        assert same_bits(wide, by_sorting(x, window, rank)[::2, ::3].copy())


@pytest.mark.parametrize("most", [0, 225])
def test_places(most, monkeypatch):
    monkeypatch.setattr(window_rank, "MOST", most)
    monkeypatch.setattr(window_rank, "LEAST_TILE", 1)
    monkeypatch.setattr(window_rank, "HELD", 1)
    x = RANDOM.normal(size=(6, 30, 20))
    places = ((0, 0, 1), (1, 2, 0), (1, 1, 1), (0, 2, 2))
    for rank in range(4):
        found = ranked(x, (2, 3, 3), rank, places)
        assert same_bits(found, by_sorting(x, (2, 3, 3), rank, places))


@pytest.mark.parametrize("most", [0, 225])
def test_windows_with_a_nan_are_nan(most, monkeypatch):
    monkeypatch.setattr(window_rank, "MOST", most)
    x = RANDOM.normal(size=(15, 15))
    x[7, 8] = np.nan
    for rank in (2, 7, 10):
        found = ranked(x, (3, 5), rank)
        every = np.lib.stride_tricks.sliding_window_view(x, (3, 5))
        np.testing.assert_array_equal(np.isnan(found), np.isnan(every).any((2, 3)))


def test_memory_that_is_given_is_filled():
    out = np.empty((3, 3), "i4")
    assert ranked(RANDOM.normal(size=(5, 5)), (3, 3), 4, dtype="i4", out=out) is out
    assert ranked(np.ones((5, 2)), (3, 3), 4).shape == (3, 0)
