import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import counting_sort
from dask_tapestry_kernels.cpu.jit import compile_service


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


RANDOM = np.random.default_rng(5)


@pytest.mark.few(2)  # one text serves all dtypes
@pytest.mark.parametrize("dtype", ["i2", "u4", "i8", "u8"])
def test_small_ranges_are_sorted_by_counting(dtype, monkeypatch):
    monkeypatch.setattr(counting_sort, "SMALL", 1)
    info = np.iinfo(dtype)
    for length in (1, 7, 1000, 5001):
        for start in (info.min, info.max - 60, 0):
            x = (
                RANDOM.integers(0, 60, (3, length)).astype("u8") + np.uint64(start % 2**64)
            ).astype(dtype)
            x[RANDOM.random(x.shape) < 0.1] = info.max
            expected = np.sort(x, axis=-1)
            assert counting_sort.count_sort(x, 1) == (length >= 240 or np.ptp(x) == 0)
            if length >= 240:
                assert np.array_equal(x, expected)


def test_what_counting_does_not_suit_is_declined(monkeypatch):
    monkeypatch.setattr(counting_sort, "SMALL", 1)
    wide = np.array([0, 10**6] * 100)
    assert not counting_sort.count_sort(wide, 0)
    assert wide[1] == 10**6
    for cells in (np.zeros(400), np.zeros(400, "u1"), np.zeros((400, 2), "i8")):
        assert not counting_sort.count_sort(cells, 0)
    full = np.full(400, np.iinfo("i4").max, "i4")
    assert counting_sort.count_sort(full, 0)
    assert (full == np.iinfo("i4").max).all()
