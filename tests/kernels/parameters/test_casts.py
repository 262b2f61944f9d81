import numpy as np
import pytest

from dask_tapestry_kernels.parameters.casts import from_double, rounded, with_addend


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers_are_cut_off_towards_zero_modulo_their_range(dtype):
    cells = np.array([-1.9, -0.5, 0.5, 2.9, 300.7, -300.2, 70000.9])
    expected = np.trunc(cells).astype("i8").astype(dtype)
    np.testing.assert_array_equal(from_double(cells, np.dtype(dtype)), expected)


def test_what_only_unsigned_words_hold_stays():
    assert from_double(np.array([2.0**63, -1.0]), np.dtype("u8")).tolist() == [2**63, 2**64 - 1]


def test_bools_are_what_is_left_of_the_number():
    assert from_double(np.array([0.9, -1.0, np.inf]), np.dtype("?")).tolist() == [False, True, True]


def test_floats_are_rounded_without_a_warning():
    assert from_double(np.array([1e300, 0.1]), np.dtype("f4")).tolist() == [np.inf, np.float32(0.1)]


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8"])
def test_integers_are_the_nearest_in_range(dtype):
    info = np.iinfo(dtype)
    cells = np.array([0.5, -0.5, 1.49, 2.5, 1e30, -1e30, np.nan, float(info.max)])
    low = max(-1, int(info.min))
    expected = [1, low, 1, 3, info.max, info.min, 0, info.max]
    assert rounded(cells, np.dtype(dtype)).tolist() == expected


def test_truth_values_are_numbers_of_1_or_more():
    assert rounded(np.array([0.0, 0.9, 1.0, -1.5]), np.dtype("?")).tolist() == [0, 0, 1, 1]
    assert rounded(np.array([0.1]), np.dtype("f4")).dtype == "f4"


def test_sums_of_integers_are_of_their_dtype_but_for_the_first():
    cells = np.array([250, 3], np.uint8)
    assert with_addend(cells, 10.0, first=True).tolist() == [260.0, 13.0]
    assert with_addend(cells, 10.0, first=False).tolist() == [4.0, 13.0]
    assert with_addend(cells / 2, 10.0, first=False).tolist() == [135.0, 11.5]
    assert with_addend(np.array([True]), -2.0, first=False).tolist() == [255.0]
