import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import between_compiled
from dask_tapestry_kernels.cpu.blocks.between_compiled import between, places_between
from dask_tapestry_kernels.cpu.jit import compile_service

RANDOM = np.random.default_rng(11)


@pytest.fixture(params=["wait", "off"], autouse=True)
def with_and_without_kernels(request, monkeypatch):
    monkeypatch.setattr(between_compiled, "SMALL", 1)
    monkeypatch.setattr(between_compiled, "STRIP", 100)
    with compile_service.mode(request.param):
        yield


def line(dtype, size):
    x = RANDOM.integers(0, 100, size).astype(dtype)
    if x.dtype.kind == "f":
        x[RANDOM.random(size) < 0.1] = RANDOM.choice([np.nan, np.inf, -np.inf, -0.0], 1)[0]
        x[RANDOM.random(size) < 0.1] = np.nan
    return x


@pytest.mark.few(7)  # each length and dtype
@pytest.mark.covering
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u4"])
@pytest.mark.parametrize("size", [0, 1, 511, 513, 3000])
@pytest.mark.parametrize(("low", "high"), [(20, 70), (0, 99), (50, 50), (99, 120), (0, 0)])
def test_cells_below_on_and_between(dtype, size, low, high):
    x = line(dtype, size)
    found = between(x, low, high)
    assert found.below == (x < low).sum()
    assert found.first == (x == low).sum()
    assert found.last == (0 if low == high else (x == high).sum())
    assert np.array_equal(found.inside, x[(x > low) & (x < high)])


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize("high", [70, 99, np.inf])
def test_places_of_cells(dtype, high):
    x = line(dtype, 3000)
    if x.dtype.kind != "f" and high == np.inf:
        high = np.iinfo(dtype).max
    below, places = places_between(x, 20, high)
    among = (x >= 20) & (x <= high)
    if high == np.inf:
        among |= np.isnan(x)
    assert below == (x < 20).sum()
    assert np.array_equal(places, np.flatnonzero(among))
