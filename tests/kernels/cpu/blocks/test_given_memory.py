import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks.given_memory import copy_in, room

GIVEN = np.empty((4, 6))


@pytest.mark.parametrize("given", [GIVEN, GIVEN[:, 1:5], GIVEN[1:3, :]])
def test_memory_whose_rows_lie_in_memory_is_taken(given):
    assert room(given, given.shape, given.dtype) is given


@pytest.mark.parametrize(
    "given", [None, GIVEN.T, GIVEN[::-1], GIVEN[:, ::2], GIVEN[:, :2], GIVEN.view("i8")]
)
def test_other_memory_is_not(given):
    shape = (3, 6) if given is None or given.shape == (4, 2) else given.shape
    made = room(given, shape, np.dtype("f8"))
    assert made is not given
    assert made.shape == shape
    assert made.flags.c_contiguous


def test_a_copy_is_none_of_the_block():
    block, given = np.arange(6.0).reshape(3, 2).T, np.empty((2, 3))
    made = copy_in(given, block)
    assert made is given
    np.testing.assert_array_equal(made, block)
    assert copy_in(None, block) is not block
    np.testing.assert_array_equal(copy_in(np.empty((3, 3)), block), block)
