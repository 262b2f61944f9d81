import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import dask_tapestry as dt
from dask_tapestry.operators.functions.user_function import identity_of
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads import thread_body
from dask_tapestry.operators.threads.device_threads import why_not_there
from dask_tapestry.operators.threads.thread_body import Read, ThreadBody, ThreadResult
from dask_tapestry.teg import Graph
from dask_tapestry.zspace import IndexProjection
from dask_tapestry_kernels.devices import kernels_of

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


def body_of(function):
    """A body that calls a function on a window of two cells."""
    cells = dt.Array(symbol("cells", "", np.dtype("f8"), (2,)))
    graph = Graph([function(cells).node])
    at = {node: n for n, node in enumerate(graph.nodes)}
    read = Read(at[cells.node], IndexProjection([[2]], [0], [2]))
    return ThreadBody("f", graph, (None,), (read,), (ThreadResult(at[graph.roots[0]], ()),))


def test_what_a_device_lacks_is_told_by_its_first_node_that_it_cannot_compute():
    assert body().lacking_on("cuda") is None
    assert body().thread_body.title == "f"
    assert body_of(lambda x: np.cumsum(np.exp(x), axis=0)).lacking_on("cuda") is None
    assert body_of(lambda x: dt.median(x)).lacking_on("cuda").endswith("for many threads")
    twice = np.frompyfunc(lambda a: 2 * a, 1, 1)
    assert body_of(lambda x: twice(x)).lacking_on("cuda") == "no kernel for cellfunction"
    dates = dt.Array(symbol("dates", "", np.dtype("M8[s]"), (2,)))
    assert why_not_there((dates + np.timedelta64(1, "s")).node, "cuda").startswith("no datetime64")


@pytest.mark.parametrize(
    ("function", "at_once", "scans"),
    [
        (lambda x: np.cumsum(x + 1), 1, 4),
        (lambda x: np.cumsum(x + 1), 2**21, 1),
        (lambda x: (x * 2)[::-1], 1, 0),
    ],
)
def test_a_devices_kernels_compute_as_many_threads_at_a_time_as_the_hosts(
    monkeypatch, function, at_once, scans
):
    monkeypatch.setattr(thread_body, "THREAD_VALUES_BYTES", at_once)
    called, numbers, cells = [], np.arange(4), np.arange(8.0)
    own = body_of(function)

    class Kernels:
        def __getitem__(self, name):
            called.append(name)
            return copied if name == "map" else kernels_of("cpu")[name]

    def copied(out, *blocks, expression):
        if not expression.steps:  # no operator asks the CPU's kernel to copy
            return np.array(blocks[0])
        return kernels_of("cpu")["map"](None, *blocks, expression=expression)

    gpu = SimpleNamespace(
        empty=np.empty, to_host=np.asarray, strided=as_strided, launch=lambda: None
    )
    made = own.on_device(Kernels(), gpu, numbers, cells)
    assert made.tobytes() == own(numbers, cells).tobytes()
    assert called.count("scan") == scans
    assert called.count("map") >= 1
