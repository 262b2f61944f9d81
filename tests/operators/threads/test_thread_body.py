import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.functions.user_function import identity_of
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads import thread_body
from dask_tapestry.operators.threads.thread_body import Read, ThreadBody, ThreadResult
from dask_tapestry.teg import Graph
from dask_tapestry.zspace import IndexProjection

X = np.arange(40.0).reshape(8, 5)


def body(axes=()):
    """Of thread (i, j): the window of two rows from 2i, times j."""
    rows = dt.Array(symbol("rows", "", np.dtype("f8"), (2, 5)))
    number = dt.Array(symbol("a number", "", np.dtype("i8")))
    graph = Graph([(rows * number).node])
    at = {node: n for n, node in enumerate(graph.nodes)}
    window = IndexProjection([[2, 0], [0, 0]], [0, 0], [2, 5])
    result = ThreadResult(at[graph.roots[0]], axes)
    return ThreadBody(
        "f", graph, (None, at[number.node]), (Read(at[rows.node], window),), (result,)
    )


@pytest.mark.parametrize("at_once", [1, 200, 2**21])
def test_threads_are_computed_many_at_once(at_once, monkeypatch):
    monkeypatch.setattr(thread_body, "THREAD_VALUES_BYTES", at_once)
    numbers = np.array([5, 6, 9])
    made = body()(np.arange(4), numbers, X)
    wanted = X.reshape(4, 1, 2, 5) * numbers[:, None, None]
    np.testing.assert_array_equal(made, wanted)
    side_by_side = body((0, 1))(np.arange(4), numbers, X)
    np.testing.assert_array_equal(side_by_side, wanted.transpose(0, 2, 1, 3).reshape(8, 15))


def test_no_threads():
    assert body()(np.arange(0), np.arange(3), X[:0]).shape == (0, 3, 2, 5)


def test_windows_that_run_backwards():
    cells = dt.Array(symbol("cells", "", np.dtype("f8"), (2,)))
    window = IndexProjection([[-2]], [0], [2], [3])
    graph = Graph([(cells + 0).node])
    at = {node: n for n, node in enumerate(graph.nodes)}
    one = ThreadBody(
        "f",
        graph,
        (None,),
        (Read(at[cells.node], window),),
        (ThreadResult(at[graph.roots[0]], ()),),
    )
    made = one(np.arange(3), np.arange(8.0))
    np.testing.assert_array_equal(made, [[4, 7], [2, 5], [0, 3]])


def test_it_travels_and_is_known_by_its_value():
    one = body()
    far = pickle.loads(pickle.dumps(one))
    assert identity_of(far) == identity_of(one)
    assert far.__name__ == "f"
    np.testing.assert_array_equal(
        far(np.arange(4), np.arange(2), X), one(np.arange(4), np.arange(2), X)
    )


def test_what_is_the_same_for_all_threads_does_not_count_as_theirs():
    table = dt.Array(symbol("a table", "", np.dtype("f8"), (1000,)))
    number = dt.Array(symbol("a number", "", np.dtype("i8")))
    graph = Graph([(table[:2] * number).node])
    at = {node: n for n, node in enumerate(graph.nodes)}
    whole = Read(at[table.node], IndexProjection.whole((1000,), 1))
    one = ThreadBody(
        "f", graph, (at[number.node],), (whole,), (ThreadResult(at[graph.roots[0]], ()),)
    )
    assert one.thread_bytes < 100
    assert one.scratch.most == thread_body.THREAD_VALUES_BYTES


def test_a_kernel_of_devices_calls_bodies_that_are_formulas():
    assert body().kernel == "threads"
    cells = dt.Array(symbol("cells", "", np.dtype("f8"), (2,)))
    graph = Graph([np.cumsum(cells, axis=0).node])
    at = {node: n for n, node in enumerate(graph.nodes)}
    read = Read(at[cells.node], IndexProjection([[2]], [0], [2]))
    result = ThreadResult(at[graph.roots[0]], ())
    assert ThreadBody("f", graph, (None,), (read,), (result,)).kernel == "call"
