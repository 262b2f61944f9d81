import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.windows.window_sum import window_sum
from tests.operators.windowed import check_cuts

X = np.random.default_rng(0).normal(size=(23, 40)) * 40
SINGLES = (((1, 1), 0.3), ((0, 0), 0.7))
PAIRS = (((0, 1), (2, 3), 0.1),)


@pytest.mark.covering(together=1)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("dtype", "result"), [("f8", "f8"), ("u1", "f4"), ("f4", "i2")])
def test_every_cut_has_one_value(dtype, result, sign, shardings):
    def make(x):
        return window_sum(x, (3, 4), SINGLES, PAIRS, sign, np.dtype(result), 3.0)

    check_cuts(make, np.abs(X).astype(dtype), shardings)


def test_it_says_how_many_weights_it_has():
    terms = [((0, 0), 1.0)], [((0, 1), (0, 2), 2.0)]
    made = dt.Array(window_sum(dt.ones((5, 5)).node, (1, 3), *terms))
    assert "1 x 3, 3 weights" in str(made.teg)
