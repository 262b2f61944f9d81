import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads import thread_inserts
from dask_tapestry.operators.threads.thread_inserts import (
    Scattered,
    StartsCheck,
    ThreadInsert,
    inserted,
    thread_cells,
)
from dask_tapestry.operators.threads.threads import Threads
from dask_tapestry.teg import TensorType

P, Q = (dt.Array(symbol("a thread's number", "", np.dtype("i8"))) for _ in range(2))
SPACE = Threads("f", (P.node, Q.node), (4, 2))
INTO = np.zeros((9, 20))


def insert(rows, columns, sizes=(2, 5), strides=(1, 1), last=False):
    value = (dt.zeros(sizes) + P + 10 * Q).node
    starts = tuple(dt.asarray(s).node if hasattr(s, "node") else s for s in (rows, columns))
    into = TensorType(INTO.shape, np.dtype("f8"))
    return ThreadInsert(SPACE, value, starts, strides, into, last, False)


def looped(rows, columns, sizes=(2, 5), strides=(1, 1)):
    made = INTO.copy()
    for i, j in np.ndindex(4, 2):
        a, b = rows(i, j), columns(i, j)
        spans = zip((a, b), sizes, strides, strict=True)
        made[tuple(slice(s, s + n * k, k) for s, n, k in spans)] = i + 10 * j
    return made


PLACES = {
    "side by side": (lambda i, j: 2 * i, lambda i, j: 5 * j, (2, 5), (1, 1)),
    "with gaps": (lambda i, j: 2 * i + 1, lambda i, j: 11 * j + 2, (1, 5), (1, 1)),
    "backwards": (lambda i, j: 6 - 2 * i, lambda i, j: 5 - 5 * j, (2, 5), (1, 1)),
    "interleaved": (lambda i, j: 2 * i, lambda i, j: j, (2, 5), (1, 2)),
    "both along one axis": (lambda i, j: 2 * i + j, lambda i, j: 3 + 0 * i, (1, 5), (1, 3)),
    "along the diagonal": (lambda i, j: i, lambda i, j: 5 * i + 2 * j, (1, 2), (1, 1)),
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("most", [0, 64])
def test_cells_go_where_a_loop_puts_them(name, most, monkeypatch, shardings):
    monkeypatch.setattr(thread_inserts, "MOST_INSERT_PIECES", most)
    rows, columns, sizes, strides = PLACES[name]
    one = insert(rows(P, Q) + dt.zeros((), int), columns(P, Q), sizes, strides)
    (cells,) = thread_cells([one])
    assert isinstance(cells, Scattered) == (not most or name == "along the diagonal")
    made = dt.Array(inserted(dt.asarray(INTO).node, cells))
    with shardings.tiny(200):
        np.testing.assert_array_equal(made.compute(), looped(rows, columns, sizes, strides))


def test_nothing_is_written():
    one = insert(2 * P, 5 * Q)
    assert thread_cells([one._replace(threads=SPACE._replace(extents=(0, 2)))]) == ((),)
    assert thread_cells([insert(2 * P, 5 * Q, (0, 5))]) == ((),)


def test_one_cell_that_all_threads_write():
    into = TensorType((), np.dtype("i8"))
    one = ThreadInsert(SPACE, (P + 10 * Q).node, (), (), into, True, False)
    (cells,) = thread_cells([one])
    assert dt.Array(inserted(full((), np.int64(0)), cells)).compute() == 13
    with pytest.raises(dt.ConstraintError, match="both write"):
        thread_cells([one._replace(last=False)])


def test_starts_that_are_computed_are_checked():
    check = StartsCheck("f", (8,), (2,), (2,), True)
    assert check(np.array([0, 1, 4])).tolist() == [0, 1, 4]
    with pytest.raises(dt.ConstraintError, match=r"threads \(0,\) and \(2,\) both .*\[2:3\]"):
        check(np.array([0, 5, 2]))
    with pytest.raises(dt.ShapeError, match=r"thread \(1,\) writes \[6:9\]"):
        check(np.array([0, 6]))
    assert StartsCheck("f", (8,), (2,), (2,), False)(np.array([0, 2])).tolist() == [0, 2]
