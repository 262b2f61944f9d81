import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.joins.roll import roll

X = np.arange(12).reshape(3, 4)


@pytest.mark.parametrize("shift", [-5, -1, 0, 2, 3, 100])
def test_roll(shift):
    made = dt.Array(roll(dt.asarray(X).node, {0: shift, 1: -shift})).compute()
    np.testing.assert_array_equal(made, np.roll(X, (shift, -shift), (0, 1)))


def test_whole_turns_are_nothing():
    x = dt.asarray(X).node
    assert roll(x, {0: 3, 1: -8}) is x
