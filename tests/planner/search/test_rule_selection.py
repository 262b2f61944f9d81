from typing import NamedTuple

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.rewriting.shared_passes import APART
from dask_tapestry.planner.search import rule_selection as module
from dask_tapestry.planner.search.rule_selection import choosing, with_taken
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.joint_reductions import join_reductions
from dask_tapestry.rules.results_apart import results_read
from dask_tapestry.teg import Graph
from tests.planner.graphs import FAST_STORES

X = dt.placeholder((10**6,), "f8")
CLUSTER = dt.Resources(workers=4, threads=2, memory="8 GiB")
ON_DEVICE = dt.placeholder((20_000, 10_000), "f4", stored_chunks=(1000, 10_000)).to_device("cuda")
DEVICES = dt.Resources(
    workers=4,
    threads=8,
    memory="64 GiB",
    gpus=1,
    gpu_memory="80 GiB",
    link_bandwidth="25 GB/s",
    rates=FAST_STORES,
)


@dt.rule(on="reduce", kind="choice")
def largest_of_sorted(node):
    """``max(sort(x)) -> max(x)``."""
    (x,) = node.inputs
    is_largest = node.operator.monoid == "max" and x.operator.name == "sort"
    return dt.Array(x.inputs[0]).max(axis=node.operator.axes) if is_largest else None


@dt.rule(on="reduce", kind="choice")
def sorted_first(node):
    """``max(x) -> max(sort(x))``."""
    (x,) = node.inputs
    is_largest = node.operator.monoid == "max" and x.operator.name != "sort"
    return dt.sort(dt.Array(x)).max(axis=node.operator.axes) if is_largest else None


class Found(NamedTuple):
    rank: Rank


def taking(seconds):
    return Found(Rank(0, 0.0, 0, 0, seconds))


def by_length(graph, _beside=None):
    """As if each node took a second."""
    return taking(float(len(graph)))


def names(graph):
    return [node.operator.name for node in graph]


def test_a_choice_that_is_cheaper_is_taken():
    with dt.config(rules=[sorted_first, largest_of_sorted]):
        plan = dt.sort(X).max().plan(resources=CLUSTER)
        assert "sort" not in names(plan.teg)
        assert plan.trace()[0].rule == "largest_of_sorted"
        dt.verify(plan, dt.sort(X).max())
        plain = X.max().plan(resources=CLUSTER)
        assert "sorted_first" not in str(plain.trace())
        assert dt.sort(dt.asarray([3.0, 5.0, 1.0])).max().compute() == 5
    assert "sort" in names(dt.sort(X).max().plan(method="none").teg)


def test_the_trace_has_what_was_taken():
    graph = dt.sort(X).max().teg
    trace = Trace()
    with dt.config(rules=[largest_of_sorted, sorted_first]):
        now, found, taken = choosing(graph, by_length, trace)
    assert (names(now), found.rank) == (["placeholder", "reduce"], taking(2.0).rank)
    assert [change.rule for change in trace] == ["largest_of_sorted"]
    assert trace.replay(graph) == now
    with dt.config(rules=[largest_of_sorted, sorted_first]):
        assert [with_taken(graph, one) for one in taken] == [now]


def test_without_choices_one_plan_is_made():
    seen = []

    def find(graph, _beside=None):
        seen.append(graph)
        return taking(1.0)

    graph = dt.sort(X).max().teg
    for rules in ([], [dt.rule(on="sort")(lambda node: None)]):
        with dt.config(rules=rules):
            assert choosing(graph, find) == (graph, taking(1.0), ())
    assert seen == [graph, graph]


def test_a_choice_must_save_a_hundredth():
    graph = dt.sort(X).max().teg
    for shorter, taken in ((0.995, False), (0.98, True)):
        with dt.config(rules=[largest_of_sorted]):
            now, *_ = choosing(
                graph, lambda g, _=None, s=shorter: taking(s if len(g) == 2 else 1.0)
            )
        assert (now != graph) == taken


def test_a_choice_may_be_the_only_way_that_fits():
    def find(graph, _beside=None):
        if "sort" in names(graph):
            raise dt.MemoryLimitError("too large")
        return by_length(graph)

    graph = dt.sort(X).max().teg
    with dt.config(rules=[largest_of_sorted]):
        assert names(choosing(graph, find)[0]) == ["placeholder", "reduce"]
    with pytest.raises(dt.MemoryLimitError, match="too large"):
        choosing(graph, find)


def test_so_many_plans_are_compared_at_most(monkeypatch):
    monkeypatch.setattr(module, "MOST_PLANS", 3)
    seen = []

    def find(graph, _beside=None):
        seen.append(graph)
        return taking(1.0)

    graph = Graph([dt.sort(X + n).max().node for n in range(10)])
    with dt.config(rules=[largest_of_sorted]):
        assert choosing(graph, find)[0] == graph
    assert len(seen) == 1 + 3


class SeedsOf(NamedTuple):
    """Seeds by the number of nodes."""

    seconds: dict
    left: list

    def of(self, graph):
        return taking(self.seconds[len(graph)]) if len(graph) in self.seconds else None

    def leave(self, graph):
        self.left.append(len(graph))


@pytest.mark.parametrize(
    ("seeds", "searched", "taken"),
    [
        ({}, [3, 2], 2),
        ({3: 1.0, 2: 1.05}, [3, 2], 2),
        ({3: 1.05, 2: 1.0}, [3, 2], 2),
        ({3: 1.0, 2: 1.2}, [3], 3),
        ({3: 1.2, 2: 1.0}, [2], 2),
    ],
)
def test_graphs_whose_seeds_are_far_behind_are_not_searched(seeds, searched, taken):
    seen, seeds, graph, trace = [], SeedsOf(seeds, []), dt.sort(X).max().teg, Trace()

    def find(graph, _beside=None):
        seen.append(len(graph))
        return by_length(graph)

    with dt.config(rules=[largest_of_sorted]):
        now, found, forms = choosing(graph, find, trace, seeds)
        assert with_taken(graph, forms[0]) == now if forms else now == graph
    assert (seen, len(now), found) == (searched, taken, by_length(now))
    assert sorted([*seen, *seeds.left]) == [2, 3]
    assert trace.replay(graph) == now


def test_a_graph_whose_seed_is_far_behind_is_searched_if_the_other_does_not_fit():
    def find(graph, _beside=None):
        if len(graph) == 2:
            raise dt.MemoryLimitError("too large")
        return by_length(graph)

    with dt.config(rules=[largest_of_sorted]):
        now, *_ = choosing(dt.sort(X).max().teg, find, None, SeedsOf({3: 1.2, 2: 1.0}, []))
    assert len(now) == 3


@pytest.mark.parametrize(
    ("whole", "apart", "seed", "searched", "is_apart"),
    [
        (
            9.0,
            1.0,
            1.0,
            [2],
            True,
        ),  # not slow beside the seed of the graph: nothing else is looked at
        (1.0, 9.0, 1.0, [2, 3], False),
        (9.0, 5.0, 1.0, [2, 3], True),
        (1.0, 5.0, None, [2, 3], False),
        (None, 5.0, 1.0, [2, 3], True),
        (1.0, None, 1.0, [2, 3], False),
    ],
)
def test_results_that_crowd_workers_are_apart_unless_that_is_slow(
    whole, apart, seed, searched, is_apart
):
    """Of a graph whose result another one is made of, apart it has a view more."""
    y = X + 1
    graph, seen, trace = Graph([y.node, dt.sort(y).node]), [], Trace()
    seeds = SeedsOf({} if seed is None else {len(graph): seed}, [])

    def find(graph, _beside=None):
        is_view = graph.roots[0].operator.is_view
        seen.append(2 if is_view else 3)
        seconds = apart if is_view else whole
        if seconds is None:
            raise dt.MemoryLimitError("too large")
        return taking(seconds)

    def crowding(graph):
        return results_read(graph)

    now, found, taken = choosing(graph, find, trace, seeds, crowding=crowding)
    assert seen == searched
    assert seeds.left == ([len(graph)] if searched == [2] else [])
    assert now.roots[0].operator.is_view == is_apart
    assert found == taking(apart if is_apart else whole)
    assert now == (with_taken(graph, taken[0]) if is_apart else graph)
    assert trace.replay(graph) == now


def test_the_best_choice_is_taken_first():
    """The other one would be a little better too, and would then be in its way."""
    with dt.config(rules=[sorted_first, largest_of_sorted]):
        plan = dt.plan(dt.sort(X).max(), X.max() + 1, resources=CLUSTER)
    assert [r for r in str(plan.trace()).split() if "sorted" in r] == ["largest_of_sorted:"]


def test_the_host_computes_what_takes_longer_with_a_device():
    """Spline filters have no kernel of a device: their cells would cross the link twice."""
    x = dt.ndimage.spline_filter1d(np.sin(ON_DEVICE), axis=1)
    plan = x.plan(resources=DEVICES)
    with dt.config(host_parts=False):
        of_device = x.plan(resources=DEVICES)
    assert plan.cost["seconds"] < of_device.cost["seconds"]
    assert names(plan.teg)[-1] == "todevice"
    assert names(of_device.teg)[-1] == "splinefilter"
    assert plan.teg.roots[0].format == of_device.teg.roots[0].format == x.node.format
    said = "computes sin, spline_filter1d on the host: with a device it takes longer or does"
    assert said in plan.explain()
    assert said not in of_device.explain()
    dt.verify(plan, x)


def test_a_device_computes_where_that_takes_less():
    """Cells that many operations are done on, and of which few come back."""
    x = ON_DEVICE
    for _ in range(30):
        x = np.sin(x) * 1.5 + x
    plan = x.mean(axis=0).plan(resources=DEVICES)
    assert "host" not in str(plan.trace())
    assert all(step.program.device for step in plan.core.steps.values())


def test_so_few_parts_are_offered_for_any_graph():
    x = ON_DEVICE
    for _ in range(50):
        x = dt.ndimage.spline_filter1d(np.sin(x), axis=1)
    assert len(list(module._offers(x.teg, None))) <= 5


def over_both_axes():
    x = dt.placeholder((10**6, 20_000), "f8", stored_chunks=(2000, 2000))
    return [x.mean(0), x.max(), dt.exp(x - x.mean(1)[:, None]).sum()]


def test_passes_are_offered_together_for_plans_that_take_longer_than_planning():
    graph = Graph([a.node for a in over_both_axes()])
    (offer,) = module._offers(graph, taking(9.0))
    assert sorted(node.operator.monoid for node in offer) == ["max", "mean", "mean"]
    assert len(list(module._offers(graph, None))) == 1
    assert not list(module._offers(graph, taking(0.01)))


def test_reductions_share_a_pass_where_that_is_cheaper():
    x, y = (dt.placeholder((10**6, 20_000), "f8", stored_chunks=(2000, 2000)) for _ in "xy")
    arrays = (x * y).mean(0), dt.sqrt(x * y).sum(1)
    plan = dt.plan(*arrays, resources=CLUSTER)
    assert "tiledreductions" in names(plan.teg)
    assert plan.cost["bytes_read"] == x.nbytes + y.nbytes
    dt.verify(plan, *arrays)


def without_joint(passes):
    """A search that finds no plan for passes of more reductions than so many."""

    def find(graph, _beside=None):
        parts = [n.operator.parts for n in graph.nodes if n.operator.name == "jointreductions"]
        if max(map(len, parts), default=1) > passes:
            raise dt.MemoryLimitError("too many in a pass")
        return taking(1.0)

    return find


def test_joint_passes_are_taken_apart_where_no_plan_fits():
    x = dt.placeholder((5000, 3000), "f8", (1000, 1000))
    graph = join_reductions(Graph([(x + n).sum(0).node for n in range(6)]))
    for passes in (1, 2, 3):
        formed, _, (taken,) = choosing(graph, without_joint(passes))
        assert {name for _, name, _ in taken} == {APART}
        assert names(formed).count("jointreductions") == (0 if passes == 1 else 6 // passes)
    assert choosing(graph, without_joint(6))[2] == ()  # what fits is left as it is
    with pytest.raises(dt.MemoryLimitError, match="too many"):
        choosing(graph, without_joint(3), apart=False)
    with pytest.raises(dt.MemoryLimitError, match="too many"):
        choosing(graph, without_joint(0))


def test_details_of_many_scales_are_planned_in_little_memory():
    signal = dt.placeholder((2**26,), "f8", (2**22,))
    powers, smooth = [], signal
    for distance in (1, 2, 4):  # of two scales all fit together
        rougher = smooth
        smooth = (dt.roll(rougher, distance) + 2 * rougher + dt.roll(rougher, -distance)) / 4
        powers.append(((rougher - smooth) ** 2).mean())
    machines = dt.Resources(2, 2, "500 MiB")
    plan = dt.plan(*powers, resources=machines)
    dt.verify(plan, *powers)
    assert any(change.rule == APART for change in plan.trace())
    assert plan.cost["peak_worker_bytes"] < machines.usable_bytes
    assert plan.cost["bytes_read"] < 5 * signal.nbytes
