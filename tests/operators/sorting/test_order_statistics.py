import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.sorting.order_statistics import (
    OrderStatistics,
    picked,
    ranks,
)
from dask_tapestry.operators.sorting.sort import sort
from dask_tapestry.teg import apply

X = np.random.default_rng(2).integers(0, 9, (5, 40)).astype("f8")
X[:, ::6] = -0.0
X[1, 3] = np.nan


@pytest.mark.parametrize("chosen", [(0, -1), (3, 3, 20), tuple(range(40)), tuple(range(5, 30))])
@pytest.mark.parametrize("axis", [0, 1])
def test_ranks_are_cells_of_the_sorted_lane(chosen, axis):
    x = dt.asarray(X if axis else X.T.copy())
    whole = sort(x.node, axis)
    made = dt.Array(ranks(x.node, chosen, axis)).compute()
    positive = [rank % 40 for rank in chosen]
    assert made.tobytes() == dt.Array(picked(whole, positive, axis)).compute().tobytes()


def test_text():
    node = apply(OrderStatistics(1, (1, 2, 3, 4, 5)), dt.asarray(X).node)
    assert node.operator.text() == "1, 2, 3, 4, ..., axis=1"
    assert node.type.shape == (5, 5)
