import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.rewriting.passes import simplified
from dask_tapestry.rewrite.annotation_propagation import Annotated, without_annotations
from dask_tapestry.rewrite.trace import Trace


def rewritten(*arrays):
    trace = Trace()
    graph = dt.plan(*arrays).core.written
    made = simplified(graph, trace)
    assert trace.replay(graph).roots == made.roots
    return made


def said(graph):
    return {n.operator.name: dict(n.annotations.said) for n in graph.nodes if n.annotations}


def test_a_replacement_has_those_of_all_that_it_replaces():
    x = dt.placeholder((6, 5), "f8")
    with dask.annotate(priority=2):
        y = x.T
    with dask.annotate(retries=3):
        z = dt.flip(y, 0)
    (root,) = rewritten(z).roots
    assert root.operator.name == "view"
    assert root.inputs == (x.node,)
    assert root.annotations.said == {"priority": 2, "retries": 3}


def test_a_rule_that_would_join_what_cannot_be_joined_does_not_apply():
    x = dt.placeholder((6, 5), "f8")
    with dask.annotate(workers="a"):
        y = x.T
    with dask.annotate(workers="b"):
        z = dt.flip(y, 0)
    (root,) = rewritten(z).roots
    assert root.annotations.said == {"workers": ["b"]}
    assert root.inputs[0].annotations.said == {"workers": ["a"]}


def test_what_is_pushed_through_keeps_its_own():
    x = dt.placeholder((600, 5), "f8")
    with dask.annotate(priority=2):
        y = dt.exp(x)
    graph = rewritten(y[:7] + 1)
    assert said(graph)["elementwise"] == {"priority": 2}
    assert max(node.type.shape[0] for node in graph.nodes if node.annotations) == 7


def test_equal_operators_are_computed_once():
    x = dt.placeholder((600, 5), "f8")
    with dask.annotate(priority=2):
        a = dt.exp(x)
    with dask.annotate(priority=3, retries=1):
        b = dt.exp(x)
    graph = rewritten(a.sum(), b.max(), dt.exp(x) * 2)
    exps = {n for n in graph.nodes if n.operator.name == "elementwise"} & {
        x for n in graph.nodes for x in n.inputs
    }
    assert [n.annotations.said for n in exps] == [{"priority": 3, "retries": 1}]


def test_equal_operators_on_other_workers_stay_apart():
    x = dt.placeholder((600, 5), "f8")
    results = []
    for name in "ab":
        with dask.annotate(workers=name):
            results.append(x.sum())
    roots = rewritten(*results).roots
    assert [r.annotations.said["workers"] for r in roots] == [["a"], ["b"]]


@pytest.mark.parametrize("alike", [True, False])
def test_reductions_are_joined_where_their_annotations_are(alike):
    x = dt.placeholder((600, 500), "f8")
    with dask.annotate(workers="a", priority=1):
        mean = x.mean(axis=0)
    with dask.annotate(workers="a" if alike else "b", priority=2):
        most = x.max(axis=0)
    graph = rewritten(mean, most)
    joint = [n.annotations.said for n in graph.nodes if n.operator.name == "jointreductions"]
    assert joint == ([{"workers": ["a"], "priority": 2}] if alike else [])


def test_a_plan_computes_what_was_written():
    x = dt.placeholder((600, 500), "f8")
    with dask.annotate(priority=1):
        y = (x - x.mean(axis=0)) / x.std(axis=0)
    with dask.annotate(workers="a"):
        z = y[::2].sum(axis=1)
    four = dt.Resources(workers=4, threads=1, memory="1 GiB")
    dt.verify(dt.plan(z, resources=four), z)
    plain = (x - x.mean(axis=0)) / x.std(axis=0)
    dt.verify(dt.plan(z, resources=four), plain[::2].sum(axis=1))


def test_graphs_without_annotations():
    x = dt.placeholder((6, 5), "f8")
    assert Annotated.of((x + 1).teg) is None
    with dask.annotate(priority=1):
        y = x + 1
    assert Annotated.of(y.teg) is not None
    assert without_annotations(y.teg)[y.node] is (x + 1).node


def test_compute_in_a_block_does_not_change_cached_plans():
    cells = np.arange(12.0)

    def job():
        return (dt.asarray(cells) * 2)[::-1].sum()

    with dask.annotate(priority=7):
        x = job()
    with dask.annotate(priority=9):
        assert x.compute() == job().compute() == 132
        planned = dt.plan(x)
    assert {n.annotations.said.get("priority") for n in planned.core.graph.nodes} <= {7, None}
    y = job()
    assert y.compute() == 132
    assert not any(n.annotations for n in dt.plan(y).core.graph.nodes)
