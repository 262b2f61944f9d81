import dask_tapestry as dt
from dask_tapestry.planner.searched_graph import searched_graph
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph

X = dt.placeholder((25_000, 25_000), "f8", (1000, 1000))


def searched(*arrays, memory):
    written, trace = Graph([a.node for a in arrays]), Trace()
    found = searched_graph(written, dt.Resources(2, 2, memory), trace)
    assert trace.replay(written) == found
    return [root.operator.name for root in found.roots]


def test_results_that_machines_cannot_hold_are_apart_from_what_is_read():
    y = X.T.T * 2
    assert searched(y, y.max(0), memory="500 MiB") == ["view", "reduce"]
    assert searched(y, y.max(0), memory="64 GiB") == ["elementwise", "reduce"]
    assert searched(y, y + 1, y.max(0), memory="500 MiB") == ["view", "elementwise", "reduce"]


def test_small_results_stay_as_they_are():
    mean = X.mean(0)
    assert searched(X - mean, mean, memory="500 MiB") == ["elementwise", "reduce"]


def test_one_machine_holds_its_results():
    written = Graph([X.node, X.max().node])
    machine = dt.Resources(1, 2, "500 MiB", local=True)
    found = searched_graph(written, machine, Trace())
    assert [root.operator.name for root in found.roots] == ["placeholder", "reduce"]
