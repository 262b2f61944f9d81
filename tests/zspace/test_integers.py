import enum

import numpy as np
import pytest

from dask_tapestry.zspace.integers import exact_int, exact_ints


class Side(enum.IntEnum):
    LEFT = 1


@pytest.mark.parametrize("value", [7, np.int8(7), np.uint64(7), np.array(7)])
def test_integers_become_int(value):
    assert exact_int(value) == 7
    assert type(exact_int(value)) is int


@pytest.mark.parametrize("value", [True, np.True_, 1.0, np.float64(1), "1", None])
def test_other_values_are_refused(value):
    with pytest.raises(TypeError, match="axis must be an integer, got"):
        exact_int(value, "axis")
    with pytest.raises(TypeError, match=r"shape\[1\] must be an integer, got"):
        exact_ints((0, value), "shape")


@pytest.mark.parametrize("values", [(1, 2), [1, 2], range(1, 3), np.array([1, 2]), {1: 0, 2: 0}])
def test_any_iterable_becomes_a_tuple(values):
    assert exact_ints(values) == (1, 2)
    assert all(type(v) is int for v in exact_ints(values))


def test_int_subclasses_become_int():
    assert type(exact_ints((Side.LEFT,))[0]) is int


def test_a_tuple_is_not_copied():
    values = (2**80, -1)
    assert exact_ints(values) is values


def test_a_single_integer_is_not_iterable():
    with pytest.raises(TypeError, match="shape must be an iterable of integers, got 3"):
        exact_ints(3, "shape")
