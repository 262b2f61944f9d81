import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks.window_casts import from_double


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
