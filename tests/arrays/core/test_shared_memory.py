import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.parametrize("ask", [np.may_share_memory, np.shares_memory])
def test_what_is_computed_has_memory_of_its_own(ask):
    cells = np.arange(6.0)
    x = dt.asarray(cells)
    assert ask(x, cells)
    assert ask(x + 1, x)  # it is still to be computed of that memory
    assert not ask(np.asarray(x), x)
    assert not ask(x, dt.asarray(cells.copy()))
    assert not ask(dt.ones(3), dt.ones(3))


def test_a_scaler_that_works_in_place_leaves_the_array():
    # the calls of scikit-learn's check_array and StandardScaler
    x = dt.asarray(np.arange(6.0).reshape(3, 2))
    array = np.asarray(x, order="C", dtype=np.float64)
    if np.may_share_memory(array, x):
        array = np.array(array, copy=True)
    array -= array.mean(axis=0)
    np.testing.assert_array_equal(x.compute(), np.arange(6.0).reshape(3, 2))
