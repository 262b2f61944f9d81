import numpy as np

import dask_tapestry as dt

X = np.arange(24.0).reshape(4, 6)
EIGHT = dt.Resources(workers=8, threads=1, memory="4 GiB")


def test_a_pinned_value_is_one_block_and_is_not_cut():
    x = dt.placeholder((10**6, 100), "f8")
    free = dt.plan(x.sum(), resources=EIGHT)
    pinned = dt.plan(dt.pin(x.sum()), resources=EIGHT)
    assert "from level" in str(free.teg)
    assert "from level" not in str(pinned.teg)
    assert pinned.core.steps[pinned.core.graph.roots[0]].count == 1


def test_a_pinned_value_is_not_restricted():
    x = dt.pin(dt.asarray(X) * 2)
    plan = dt.plan(x[:1])
    assert "%1 = pin(%0) : float64[4, 6]" in str(plan.teg)
    assert np.array_equal(plan.compute(), 2 * X[:1])
    assert dt.pin(x).node is x.node
    assert dt.pin(X).numblocks == (1, 1)
    assert np.array_equal(dt.pin(X).compute(), X)
