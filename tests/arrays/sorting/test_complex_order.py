import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"])
def test_sort_complex(dtype):
    for cells in (np.array([[3, 1, 2], [0, 5, 4]]), np.zeros(0)):
        expected = np.sort_complex(cells.astype(dtype))
        found = np.sort_complex(dt.asarray(cells.astype(dtype)))
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(found.compute(), expected)
