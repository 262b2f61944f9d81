import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads.thread_slice import thread_slice
from dask_tapestry.operators.threads.threads import Threads, ThreadValue, replaced, thread_values

X = np.arange(12.0).reshape(6, 2)


def space(*extents):
    ids = tuple(symbol("a thread's number", "", np.dtype("i8")) for _ in extents)
    return Threads("f", ids, extents), [dt.Array(one) for one in ids]


def test_values_of_all_threads_by_one_operator(shardings):
    threads, (i,) = space(3)
    x = dt.asarray(X)
    rows = dt.Array(thread_slice(x.node, ((2 * i).node, (i * 0).node), (2, 2), (1, 1)))
    wanted = [ThreadValue((rows * i).node, (0, None)), ThreadValue((rows.sum() + x[0, 1]).node)]
    rows_of, sums = (dt.Array(one) for one in thread_values(threads, wanted))
    assert "f[3] -> z0, z1" in str(rows_of.teg)
    with shardings.tiny(16):
        made = dt.compute(rows_of, sums)
    np.testing.assert_array_equal(made[0], X * np.repeat(np.arange(3), 2)[:, None])
    np.testing.assert_array_equal(made[1], X.reshape(3, 4).sum(1) + 1)


def test_only_what_threads_read_is_read():
    threads, (i,) = space(3)
    x = dt.placeholder((100, 2), "f8")
    row = dt.Array(thread_slice(x.node, ((2 * i + 7).node, (0 * i).node), (1, 2), (1, 1)))
    plan = dt.Array(*thread_values(threads, [ThreadValue(row.node)])).plan()
    assert plan.cost["bytes_read"] == 5 * 2 * 8


def test_what_threads_cannot_do():
    threads, (i,) = space(3)
    _, (other,) = space(2)
    with pytest.raises(dt.TraceError, match="another function"):
        thread_values(threads, [ThreadValue((i + other).node)])
    x = dt.ones((4, 2)).node
    outside = thread_slice(x, ((2 * i).node, (0 * i).node), (2, 2), (1, 1))
    with pytest.raises(dt.ShapeError, match=r"f: thread \(2,\) reads \[4:6, 0:2\]"):
        thread_values(threads, [ThreadValue(outside)])


def test_replaced_nodes():
    x = dt.arange(3)
    (made,) = replaced([(x + 1).node], {x.node: dt.arange(5).node})
    assert dt.Array(made).compute().tolist() == [1, 2, 3, 4, 5]
    assert replaced([x.node], {}) == [x.node]
