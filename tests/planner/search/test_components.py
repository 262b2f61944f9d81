"""Parts of a graph that share nothing are planned apart, alike ones once, as well as together."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.search import search as module
from dask_tapestry.planner.search.components import components_of
from dask_tapestry.teg import Graph
from tests.planner.graphs import FOUR, stored


def variable(cells=20_000):
    x = stored((cells, 400), "f8", (1000, 400))
    return ((x - x.mean(axis=0)) ** 2).max(axis=0)


def graph_of(*arrays):
    return Graph([x.node for x in arrays])


def test_alike_ones_are_searched_once_and_all_take_its_choices():
    found = components_of(graph_of(*[variable() for _ in range(4)]))
    ((first, times),) = found.kinds
    assert times == 4
    assert len(found.short.whole.nodes) == 4 * len(first.nodes)
    assert set(found.short.like.values()) == set(first.nodes)


def test_those_that_differ_are_of_several_kinds():
    found = components_of(graph_of(variable(), variable(30_000), variable()))
    assert [times for _, times in found.kinds] == [2, 1]
    x, y = stored((1000,), "f8", (100,)), stored((1000,), "f8", (100,))
    assert len(components_of(graph_of(x.sum(), x.max(), y.sum())).kinds) == 2


def test_what_shares_more_than_small_leaves_is_one():
    x = stored((20_000, 400), "f8", (1000, 400))
    weights = dt.asarray(np.ones(400))
    assert components_of(graph_of(x.sum(axis=0), x.max(axis=0))) is None
    assert components_of(graph_of(variable())) is None
    y = stored((20_000, 400), "f8", (1000, 400))
    assert components_of(graph_of((x * weights).sum(axis=1), (y * weights).sum(axis=1))) is not None


def test_they_are_found_whatever_the_order_of_roots():
    one, two = variable(), variable()
    (_, times), *others = components_of(graph_of(two, one, two)).kinds
    assert (times, others) == (2, [])


def test_plans_are_about_as_good_as_of_all_together(monkeypatch):
    many = [variable() for _ in range(3)]
    apart = dt.plan(*many, resources=FOUR)
    apart.verify()
    dt.verify(apart, *many)
    monkeypatch.setattr(module, "components_of", lambda graph: None)
    together = dt.plan(*[variable() for _ in range(3)], resources=FOUR)
    assert apart.cost["seconds"] <= 1.05 * together.cost["seconds"]
    assert apart.cost["bytes_read"] <= 1.05 * together.cost["bytes_read"]


def test_a_search_does_not_grow_with_how_many_are_alike(monkeypatch):
    searched = []
    found = module._found
    monkeypatch.setattr(
        module, "_found", lambda graph, *more: searched.append(len(graph)) or found(graph, *more)
    )
    dt.plan(*[variable(24_000) for _ in range(5)], resources=FOUR)
    assert len(searched) == 1


def test_what_one_writes_and_reads_again_is_not_searched_once_more(monkeypatch):
    """Its readers follow the writes, which are no inputs of theirs."""
    searched = []
    found = module._found
    monkeypatch.setattr(
        module, "_found", lambda graph, *more: searched.append(len(graph)) or found(graph, *more)
    )
    x = stored((60_000, 40_000), "f4", (60_000, 20))
    ranked = dt.sort(x, axis=1)[:, ::4000].max(axis=0)
    plan = dt.plan(ranked, dt.asarray(np.arange(9.0)), resources=dt.Resources(2, 2, "500 MiB"))
    plan.verify()
    assert plan.cost["bytes_written"] >= x.nbytes
    assert len(searched) == 2


def test_what_does_not_fit_together_is_planned_together():
    small = dt.Resources(workers=2, threads=1, memory="1 GB")
    turned = [stored((8000, 8000), "f8", (8000, 500)).cumsum(axis=1).T for _ in range(2)]
    plan = dt.plan(*[x.sum(axis=0) for x in turned], resources=small)
    plan.verify()
    assert plan.cost["peak_worker_bytes"] < 0.7 * 1e9


def test_values_are_those_of_numpy():
    cells = [np.arange(n * 12.0).reshape(n, 12) for n in (40, 40, 60)]
    lazy = [dt.asarray(x) for x in cells]
    with dt.config(resources=FOUR):
        results = dt.compute(*[(x - x.mean(axis=0)).std(axis=0) for x in lazy])
    for x, result in zip(cells, results, strict=True):
        np.testing.assert_allclose(result, (x - x.mean(axis=0)).std(axis=0))
