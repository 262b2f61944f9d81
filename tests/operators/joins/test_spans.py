import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.joins.spans import joined_spans, runs
from dask_tapestry.teg.node import topological

X = np.arange(60.0).reshape(20, 3)


@pytest.mark.parametrize(
    "spans",
    [
        [(0, 20)],
        [(0, 5), (5, 10), (10, 20)],
        [(0, 3), (1, 5), (3, 7), (5, 9), (7, 9)],
        [(0, 4), (6, 10), (12, 16)],
        [(5, 9), (5, 9), (0, 4)],
        [(0, 0), (3, 3)],
    ],
)
@pytest.mark.parametrize("axis", [0, 1])
def test_one_behind_the_other(spans, axis):
    x = X if axis == 0 else np.ascontiguousarray(X.T)
    expected = np.concatenate([x.take(range(a, b), axis) for a, b in spans], axis)
    found = dt.Array(joined_spans(dt.asarray(x).node, axis, spans))
    assert np.array_equal(found.compute(), expected)
    assert np.array_equal((found * 2)[1:, ::2].compute(), (expected * 2)[1:, ::2])


def test_alike_spans_take_one_node_however_many():
    x = dt.ones(10**6)
    few, many = (
        joined_spans(x.node, 0, [(n, n + 3) for n in range(0, end, 2)]) for end in (10, 10_000)
    )
    assert len(list(topological([few]))) == len(list(topological([many])))
    assert [run.times for run in runs([(0, 3), (2, 5), (4, 7), (4, 7)])] == [3, 1]
