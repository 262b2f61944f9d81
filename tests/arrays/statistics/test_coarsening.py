import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(120.0).reshape(10, 12)


@pytest.mark.parametrize("reduction", [np.mean, np.sum, np.max, dt.std])
@pytest.mark.parametrize("axes", [{0: 2}, {0: 5, 1: 3}, {-1: 4}, {}])
def test_neighbours_become_one(reduction, axes):
    numpy_s = np.std if reduction is dt.std else reduction
    whole = {axis % 2: factor for axis, factor in axes.items()}
    expected = da.coarsen(numpy_s, da.from_array(X, chunks=60), whole).compute()
    found = dt.coarsen(reduction, dt.from_array(X, chunks=(3, 5)), axes)
    np.testing.assert_allclose(found.compute(), expected, rtol=1e-12)


def test_what_is_too_much():
    x = dt.asarray(X)
    found = dt.coarsen(np.sum, x, {0: 3, 1: 5}, trim_excess=True, keepdims=False)
    assert found.shape == (3, 2)
    with pytest.raises(ValueError, match="do not divide"):
        dt.coarsen(np.sum, x, {0: 3})
    with pytest.raises(ValueError, match="must be positive"):
        dt.coarsen(np.sum, x, {0: 0})
