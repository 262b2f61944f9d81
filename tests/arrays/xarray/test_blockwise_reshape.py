"""Reshaping to and fro."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays.xarray.blockwise_reshape import reshape_blockwise


def test_there_and_back():
    x = dt.from_array(np.arange(24).reshape(4, 3, 2), (2, 3, 1))
    flat = reshape_blockwise(x, (4, 6))
    back = reshape_blockwise(flat, (4, 3, 2), x.chunks)
    assert back.chunks == x.chunks
    np.testing.assert_array_equal(back.compute(), x.compute())
