import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.products.repeated_cells import repeats_cells
from dask_tapestry.operators.tuning import MOST_REPEATED_NODES

X = dt.asarray(np.arange(40.0).reshape(4, 10))
WINDOWS = dt.lib.stride_tricks.sliding_window_view(X, 3, axis=1)


@pytest.mark.parametrize(
    ("x", "repeats"),
    [
        (X, False),
        (X.T[::-1] + 1, False),
        (X - X.mean(axis=0), False),
        (WINDOWS, True),
        (dt.where(dt.isnan(WINDOWS), 0, WINDOWS), True),
        (WINDOWS.sum(axis=-1), False),
        (X[:, None, :] - X[None, :, :], True),
        (dt.pad(X, 1), False),
        (dt.pad(X, 30), True),
        (dt.ones((5, 5)), False),
    ],
)
def test_windows_and_outer_formulas_repeat_what_they_are_made_of(x, repeats):
    assert repeats_cells(x.node) is repeats


def test_what_was_written_by_a_long_loop_is_not_looked_through():
    x = WINDOWS
    for step in range(MOST_REPEATED_NODES):
        x = x * step + WINDOWS
    assert not repeats_cells(x.node)
