import numpy as np
import pytest

from dask_tapestry_kernels.parameters.largest_cell import largest


@pytest.mark.parametrize("kind", ["?", "i1", "u8", "f2", "f8", "c16", "M8[s]", "m8[D]", "S3", "U2"])
def test_no_cell_comes_behind_the_largest_one(kind):
    dtype = np.dtype(kind)
    cells = np.zeros(3, dtype)
    cells[1] = largest(dtype)
    assert np.argsort(cells, kind="stable").tolist() == [0, 2, 1]
