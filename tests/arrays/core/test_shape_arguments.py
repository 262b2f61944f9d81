import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.shape_arguments import lengths_of, shape_of
from tests.arrays.parity import refused


@pytest.mark.parametrize("shape", [(2, 3), [2, 3], np.array([2, 3]), (np.int64(2), np.uint8(3))])
def test_integers_of_any_kind_in_any_sequence(shape):
    assert shape_of(shape) == (2, 3)
    assert all(type(n) is int for n in shape_of(shape))
    assert dt.zeros(shape).shape == (2, 3)
    assert dt.arange(6).reshape(shape).shape == (2, 3)
    assert dt.broadcast_to(dt.ones(3), shape).shape == (2, 3)


def test_one_integer_is_one_dimension():
    assert shape_of(np.int64(4)) == lengths_of(4) == shape_of(np.array(4)) == (4,)


def test_lengths_are_not_negative():
    assert lengths_of((2, -1)) == (2, -1)
    with pytest.raises(dt.ShapeError, match="negative"):
        shape_of((2, -1))
    with pytest.raises(dt.ShapeError, match="negative"):
        dt.broadcast_to(dt.ones(3), (-3,))


def test_other_things_are_no_shape():
    with pytest.raises(TypeError):
        shape_of(1.5)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.zeros(True),
        lambda np, a: np.zeros((True, 2)),
        lambda np, a: a([1, 2]).reshape((True, -1)),
        lambda np, a: a([1, 2]).reshape(True, -1),
        lambda np, a: np.broadcast_to(a([1, 2]), (True, 2)),
    ],
)
def test_a_truth_value_is_no_length(call):
    refused(call)
