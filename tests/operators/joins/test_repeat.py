import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.joins.repeat import repeat, tile

X = np.arange(6).reshape(2, 3)


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("axis", [0, 1])
def test_repeat(count, axis):
    made = dt.Array(repeat(dt.asarray(X).node, count, axis)).compute()
    np.testing.assert_array_equal(made, np.repeat(X, count, axis))


@pytest.mark.parametrize("counts", [(1, 1), (2, 1), (1, 3), (2, 2), (0, 2)])
def test_tile(counts):
    made = dt.Array(tile(dt.asarray(X).node, counts)).compute()
    np.testing.assert_array_equal(made, np.tile(X, counts))


def test_once_is_the_tensor_itself():
    x = dt.asarray(X).node
    assert repeat(x, 1, 0) is tile(x, (1, 1)) is x
