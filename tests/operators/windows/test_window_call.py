import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.windows.window_call import window_call
from tests.operators.windowed import check_cuts

X = np.random.default_rng(0).normal(size=(23, 40)) * 9
PLACES = ((0, 1), (2, 0), (1, 3))


def spread(cells, power):
    return cells.max() - cells[0] ** power


def test_every_cut_has_one_value(shardings):
    for dtype in ("f8", "u1"):
        check_cuts(
            lambda x, dtype=dtype: window_call(
                x, (3, 4), PLACES, (spread, (), {"power": 2}), np.dtype(dtype)
            ),
            X,
            shardings,
        )


def test_it_has_the_name_of_the_function():
    made = window_call(dt.ones((5, 5)).node, (3, 4), PLACES, (spread, (2,), {}), np.dtype("f8"))
    assert "spread" in str(dt.Array(made).teg)
