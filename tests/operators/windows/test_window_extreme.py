import numpy as np
import pytest

from dask_tapestry.operators.windows.window_extreme import window_extreme
from tests.operators.windowed import check_cuts

X = np.random.default_rng(2).normal(size=(23, 40))
PLACES = ((0, 1), (2, 0), (1, 3))


@pytest.mark.parametrize("fold", ["minimum", "maximum"])
@pytest.mark.parametrize("addends", [None, (0.25, -1.0, 0.5)])
def test_every_cut_has_one_value(fold, addends, shardings):
    check_cuts(lambda x: window_extreme(x, (3, 4), fold, PLACES, addends), X, shardings)


def test_a_result_of_another_dtype(shardings):
    check_cuts(
        lambda x: window_extreme(x, (3, 4), "maximum", PLACES, None, np.dtype("u1")),
        (X * 20).astype("i2"),
        shardings,
    )
