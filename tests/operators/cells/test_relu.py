import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import same_bits


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1"])
def test_negative_cells_become_zero_of_the_same_dtype(dtype):
    x = np.array([-2, 0, 3, -1]).astype(dtype)
    assert same_bits(dt.nn.relu(x).compute(), np.maximum(x, x.dtype.type(0)))


def test_not_a_number_stays():
    assert np.isnan(dt.nn.relu(np.array([np.nan])).compute()).all()
