import numpy as np
import pytest

from dask_tapestry.operators.windows.window_rank import window_rank
from tests.operators.windowed import check_cuts

X = np.random.default_rng(3).normal(size=(23, 40))
X[4, 7] = np.nan


@pytest.mark.parametrize("places", [None, ((0, 1), (2, 0), (1, 3), (1, 1), (0, 0))])
def test_every_cut_has_one_value(places, shardings):
    check_cuts(lambda x: window_rank(x, (3, 4), 3, places), X, shardings)


def test_windows_that_no_network_sorts(shardings):
    check_cuts(lambda x: window_rank(x, (16, 15), 100), X, shardings)


def test_a_result_of_another_dtype(shardings):
    made = np.dtype("i4")
    check_cuts(lambda x: window_rank(x, (1, 3), 1, None, made), np.nan_to_num(X) * 9, shardings)
