import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.memory.results import ResultMemory
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.results_apart import RESULTS_APART, with_results_apart
from dask_tapestry.teg import Graph
from tests.comparisons import same_bits

X = np.random.default_rng(3).normal(size=(60, 50))
SMALL = dt.Resources(2, 2, "500 MiB")


def apart(*arrays, least=0):
    return with_results_apart(
        Graph([a.node for a in arrays]), lambda node: node.type.nbytes >= least
    )


def names(graph):
    return [root.operator.name for root in graph.roots]


def test_results_that_steps_read_are_apart():
    x = dt.placeholder((60, 50), "f8")
    y = x + 1
    assert names(apart(y, y.max(0), y.max(0).sum())) == ["view", "view", "reduce"]
    assert names(apart(y, y.max(0), y.max(0).sum(), least=1000)) == ["view", "reduce", "reduce"]
    assert names(apart(x, x.T)) == ["view", "permute"]
    graph = Graph([y.node, (x * 2).node])
    assert with_results_apart(graph, lambda _: True) is graph


def test_what_is_written_is_a_result_of_its_own(tmp_path):
    y = dt.placeholder((60, 50), "f8") + 1
    write = dt.to_zarr(y, tmp_path / "y", compute=False)
    graph = apart(y, write)
    assert names(graph) == ["view", "store"]
    assert graph.roots[0].type == y.node.type


def test_a_result_that_is_wanted_twice_is_one():
    y = dt.placeholder((60, 50), "f8") + 1
    first, second, _ = apart(y, y, y.max()).roots
    assert first is second


def test_values_are_the_same_bits():
    y = dt.asarray(X) * 2
    arrays = y, y.std(0), dt.cumsum(y, 1)
    values = dt.compute(*arrays)
    others = dt.compute(*[dt.Array(root) for root in apart(*arrays).roots])
    for one, other in zip(values, others, strict=True):
        assert same_bits(one, other)


def test_a_trace_replays_it():
    y = dt.placeholder((60, 50), "f8") + 1
    graph, trace = Graph([y.node, y.max(0).node]), Trace()
    made = with_results_apart(graph, lambda _: True, trace)
    assert [one.name for one in trace.rounds] == [RESULTS_APART]
    assert len(trace) == 1
    assert trace.replay(graph) == made


X5 = dt.placeholder((25_000, 25_000), "f8", (1000, 1000))
MEAN = X5.mean(0)
FETCHED = {
    "a fold of it": lambda y: [y, y.max(0)],
    "cells of it": lambda y: [y, y * 2],
    "it turned": lambda y: [y, y + y.T],
    "it in order": lambda y: [y, dt.sort(y, axis=1)],
    "what is centred": lambda y: [y - MEAN, (y - MEAN).std(0)],
    "what is stored": lambda _: [X5, X5.T],
}


@pytest.mark.parametrize("case", FETCHED)
def test_results_beyond_all_memory_are_planned_with_what_reads_them(case):
    arrays = FETCHED[case](X5 + 1)
    plan = dt.plan(*arrays, resources=SMALL)
    dt.verify(plan, *arrays)
    assert any(change.rule == "with_results_apart" for change in plan.trace())
    assert plan.cost["bytes_read"] <= 3.1 * X5.nbytes


def test_workers_that_hold_the_results_compute_them_once():
    y = X5 + 1
    plan = dt.plan(y, y.max(0), resources=dt.Resources(2, 2, "16 GiB"))
    assert not any(change.rule == "with_results_apart" for change in plan.trace())


def test_results_that_are_kept_are_refused():
    y = X5 + 1
    plan = dt.plan(y, y.max(0), resources=SMALL).core
    with pytest.raises(dt.MemoryLimitError, match="peak_memory_is_bounded"):
        plan.verify(ResultMemory.KEPT)
