from random import Random

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.build import build_plan
from dask_tapestry.rewrite.driver import apply_once, rewrite
from dask_tapestry.rewrite.trace import Change, Trace
from dask_tapestry.teg import Graph, Region
from tests.covering import seeds_of
from tests.fuzz.programs import drawn_arrays


def flipped(value):
    return dt.full((2,), value)[::-1].node


def scalar(node):
    return node.operator.scalar if node.operator.name == "full" else 0


def test_changes_print_in_order():
    x, y = dt.full((2,), 7.0).node, flipped(7.0)
    trace = Trace()
    trace.begin("first", "once")
    trace.record("rule", y, x)
    trace.begin("second", "graph")
    trace.record("other", x, y, Region.whole((2,)))
    trace.record_results([x, y], [x, x])
    assert trace.changes == list(trace)
    assert trace.changes[0] == Change("rule", y, x)
    assert str(trace).splitlines() == [
        "rule: slice(full, [1::-1]) -> full(, (2,), 7.0)",
        "other: full(, (2,), 7.0) -> slice(full, [1::-1]) on Region[0:2:1]",
    ]
    assert (len(trace), trace[1].rule) == (2, "other")
    assert [(r.name, r.manner) for r in trace.rounds] == [("first", "once"), ("second", "graph")]
    assert trace.rounds[1].results == [(x, x), (y, x)]


def test_a_plan_tells_what_was_rewritten():
    x = dt.asarray(np.ones((4, 3)))
    lines = str(dt.plan(x.T[::-1].T).trace()).splitlines()
    assert lines[0].startswith("selector_as_view: permute(memory, (1, 0)) -> view(")
    assert any(line.startswith("compose_views: ") for line in lines)


def test_a_round_is_replayed_as_it_was_made():
    """Once at each node, or until nothing changes."""

    def less(node):
        return dt.full((2,), value - 1).node if (value := scalar(node)) > 0 else None

    def down(node):
        return less(node) if scalar(node) > 1 else None

    graph = Graph([flipped(5.0)])
    trace = Trace()
    after = rewrite(apply_once(graph, (less,), trace), (down,), trace)
    assert after == Graph([flipped(1.0)])
    assert [change.rule for change in trace] == ["less", "down", "down", "down"]
    assert trace.replay(graph) == after
    assert Trace(trace.rounds[:1]).replay(graph) == Graph([flipped(4.0)])


def test_a_slice_is_replayed():
    x = dt.asarray(np.arange(100.0))
    plan = build_plan([((x + 1)[5:20:5] * 2).node, (x[:7] - 1).node])
    assert "push_slices" in str(plan.rewrites)
    assert plan.rewrites.replay(plan.written) == plan.graph


def test_another_graph_is_no_replay():
    x = dt.asarray(np.arange(100.0))
    plan = build_plan([(x + 1)[5:20:5].node])
    with pytest.raises(dt.PlanError, match="slices: the graph is not the one that was rewritten"):
        plan.rewrites.replay(x.teg)


def test_what_a_result_follows_is_replayed():
    target = np.zeros(3)
    write = dt.store(dt.arange(3) + 1.0, target, compute=False)
    x = dt.asarray([1.0, 2.0]) + 0
    plan = build_plan([dt.sequence_point(write).node, (x * 2)[:0].node, x.node])
    assert plan.rewrites.replay(plan.written) == plan.graph


@pytest.mark.parametrize("seed", seeds_of(range(0, 120, 10), 3))
def test_traces_of_random_programs_lead_to_the_planned_graph(seed):
    for number in range(seed, seed + 10):
        random = Random(number)
        arrays = drawn_arrays(random)
        wanted = random.sample(arrays, min(3, len(arrays)))
        machines = dt.Resources(workers=2, threads=2, memory="1 GiB")
        with dt.config(block_bytes=100, algebra=random.choice(["exact", "fast"])):
            plan = build_plan([x.bound for x in wanted], machines)
        assert plan.rewrites.replay(plan.written) == plan.graph
