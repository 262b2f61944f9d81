import numpy as np
import pytest

from dask_tapestry.operators.windows.window_fold import window_fold
from tests.operators.windowed import check_cuts

X = np.random.default_rng(1).integers(0, 99, (23, 40))


@pytest.mark.covering(together=1)
@pytest.mark.parametrize("fold", ["sum", "mean", "minimum", "maximum"])
@pytest.mark.parametrize("window", [(1, 7), (5, 1), (1, 1)])
def test_every_cut_has_one_value(fold, window, shardings):
    check_cuts(lambda x: window_fold(x, window, fold), X, shardings)


def test_boxes_and_floats(shardings):
    check_cuts(lambda x: window_fold(x, (4, 3), "minimum"), X / 7, shardings)
