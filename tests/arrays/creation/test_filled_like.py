import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.parametrize("name", ["ones_like", "zeros_like", "empty_like"])
def test_like(name):
    x = dt.ones((2, 3), "f4")
    assert getattr(dt, name)(x).dtype == np.float32
    assert getattr(dt, name)(x, "i2").dtype == np.int16
    assert getattr(dt, name)(x, shape=5).shape == (5,)
    assert getattr(dt, name)([1, 2]).dtype == np.asarray([1, 2]).dtype
    assert dt.full_like(x, 3).compute().tolist() == [[3] * 3] * 2


def test_chunks_and_names_are_kept():
    x = dt.ones((4, 6), chunks=(2, 3), dims=("y", "x"))
    made = dt.zeros_like(x)
    assert made.chunks == x.chunks
    assert made.dims == ("y", "x")
    assert dt.full_like(x, 7, chunks=4).chunks == ((4,), (4, 2))
