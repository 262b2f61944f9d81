import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.joins.zero_stuffing import spread


@pytest.mark.parametrize("shape", [(4, 3), (1, 3), (0, 3)])
@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "c16"])
def test_zeros_lie_between(shape, dtype):
    x = np.ones(shape, dtype)
    made = dt.Array(spread(dt.asarray(x).node, 0, 3)).compute()
    expected = np.zeros((max(0, (shape[0] - 1) * 3 + 1), 3), dtype)
    expected[::3] = x
    assert made.dtype == dtype
    np.testing.assert_array_equal(made, expected)


def test_cells_side_by_side_stay():
    node = dt.ones((4, 3)).node
    assert spread(node, 1, 1) is node
