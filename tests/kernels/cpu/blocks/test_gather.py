import numpy as np
import pytest

from dask_tapestry_kernels.cpu import KERNELS

ROWS = {
    "steps": ((None, 0, 3, 4, 0, 0), (1, None, 0, 3, 0, 0)),
    "vector": 1,
    "window": (1,),
    "shape": (3, 3),
}
X = np.arange(12).reshape(4, 3)


def test_rows_of_a_block():
    found = KERNELS["gather"](None, X, np.array([2, 9, -9]), **ROWS)
    np.testing.assert_array_equal(found, X[[2, 3, 0]])


def test_a_block_that_begins_within_the_operand():
    told = ROWS | {"steps": ((None, 0, 3, 4, 0, 0), (1, None, 0, 3, 1, 1)), "shape": (2, 2)}
    found = KERNELS["gather"](None, X[:, 1:], np.array([2, 0]), **told)
    np.testing.assert_array_equal(found, X[[2, 0], 1:])


def test_nothing_is_taken_of_nothing():
    told = ROWS | {"shape": (0, 3)}
    assert KERNELS["gather"](None, X, np.zeros(0, int), **told).shape == (0, 3)


@pytest.mark.parametrize("dtype", [np.uint64, np.int8])
def test_starts_beyond_what_intp_holds_are_clamped(dtype):
    top = np.array([np.iinfo(dtype).max, 0, 0], dtype)
    np.testing.assert_array_equal(KERNELS["gather"](None, X, top, **ROWS)[0], X[3])
