import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.blocks import window_extreme
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(3)
PLACES = ((0, 1), (1, 0), (1, 2), (2, 1))


def found(x, fold="minimum", addends=None, dtype=None, steps=(1, 1), out=None):
    ways = zip(x.shape, steps, strict=True)
    shape = tuple((n - 3) // step + 1 for n, step in ways)
    dtype = x.dtype if dtype is None else np.dtype(dtype)
    how = {"window": (3, 3), "steps": steps, "shape": shape, "dtype": dtype, "fold": fold}
    return KERNELS["windowextreme"](out, x, places=PLACES, addends=addends, **how)


def cells(x):
    rows, columns = (n - 2 for n in x.shape)
    return np.stack([x[a : a + rows, b : b + columns] for a, b in PLACES])


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f8"])
def test_places_that_count(dtype, monkeypatch):
    x = (RANDOM.normal(size=(20, 30)) * 9).astype(dtype)
    assert same_bits(found(x), cells(x).min(0))
    assert same_bits(found(x, "maximum"), cells(x).max(0))
    monkeypatch.setattr(window_extreme, "TILE_CELLS", 1)
    assert same_bits(found(x, steps=(2, 3)), cells(x).min(0)[::2, ::3].copy())


def test_addends_are_doubles():
    x = RANDOM.integers(0, 50, (9, 9)).astype("u1")
    addends = (0.5, -60.0, 3.0, 0.0)
    expected = cells(x) + np.array(addends)[:, None, None]
    expected[1:] = np.trunc(expected[1:]).astype("i8").astype("u1")
    expected = expected.min(0)
    assert same_bits(found(x, addends=addends, dtype="f8"), expected)
    assert same_bits(found(x, addends=addends), np.trunc(expected).astype("i8").astype("u1"))


def test_memory_that_is_given_is_filled():
    out = np.empty((3, 3))
    assert found(np.ones((5, 5)), out=out) is out
    assert found(np.ones((5, 2))).shape == (3, 0)
