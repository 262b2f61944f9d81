import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads import thread_kinds
from dask_tapestry.operators.threads.thread_kinds import ThreadsDifferError, same_for_all
from dask_tapestry.operators.threads.threads import Threads

ROW, COLUMN = (symbol("a number", "", np.dtype("i8")) for _ in range(2))
THREADS = Threads("f", (ROW, COLUMN), (3, 5))


def least(node, n):
    return elementwise("minimum", node, np.int64(n))


def test_one_value_for_all():
    assert same_for_all(least(ROW, 0), THREADS) == 0
    assert same_for_all(elementwise("less", COLUMN, np.int64(5)), THREADS)
    assert same_for_all(symbol("a cell", "", np.dtype("i8")), THREADS) is None
    assert same_for_all(dt.arange(3)[1].node, THREADS) is None
    assert same_for_all(ROW, THREADS._replace(extents=(0, 5))) == 0


@pytest.mark.parametrize(
    ("value", "number", "cuts"),
    [
        (least(ROW, 1), ROW, (1,)),
        (least(COLUMN, 2), COLUMN, (1, 2)),
        (elementwise("greater", elementwise("add", ROW, COLUMN), np.int64(5)), ROW, (2,)),
        (elementwise("equal", COLUMN, np.int64(2)), COLUMN, (2, 3)),
    ],
)
def test_threads_that_differ_are_cut_along_one_number(value, number, cuts):
    with pytest.raises(ThreadsDifferError) as error:
        same_for_all(value, THREADS)
    assert (error.value.number, error.value.cuts) == (number, cuts)


def test_too_many_threads(monkeypatch):
    monkeypatch.setattr(thread_kinds, "MOST_THREAD_VALUES", 10)
    assert same_for_all(least(COLUMN, 0), THREADS) == 0
    with pytest.raises(dt.TraceError, match="too many threads"):
        same_for_all(elementwise("add", ROW, COLUMN), THREADS)
