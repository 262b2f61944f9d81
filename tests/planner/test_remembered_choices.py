import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner import build
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.cache import plan_of
from dask_tapestry.planner.remembered_choices import fits, recalled, remember
from dask_tapestry.planner.rewriting.exchanged_values import is_exchange
from dask_tapestry.planner.search.search import search
from dask_tapestry.teg import Graph

USUAL = dt.Resources(workers=8, threads=2, memory="8 GiB")


@pytest.fixture
def searches(monkeypatch):
    """The graphs that are searched."""
    seen = []

    def search(graph, *arguments):
        seen.append(graph)
        return found(graph, *arguments)

    found = build.search
    monkeypatch.setattr(build, "search", search)
    return seen


def anomalies(seed=0, days=64):
    x = dt.asarray(np.random.default_rng(seed).random((days, 30, 30)))
    return ((x - x.mean(axis=0)) ** 2).mean(axis=0)


def test_what_was_planned_is_not_searched_for_when_it_runs(searches):
    y = anomalies()
    shown = dt.plan(y, resources=USUAL)
    with dask.config.set({"tapestry.resources": USUAL}):
        run = plan_of([anomalies(seed=1).node])
    assert len(searches) == 1
    assert run.cost == shown.core.cost
    cuts = [[step.cuts for step in plan.steps.values()] for plan in (run, shown.core)]
    assert cuts[0] == cuts[1]
    run.verify()


def test_other_graphs_machines_and_settings_are_searched_for(searches):
    nodes = [anomalies(days=65).node]
    build_plan(nodes, USUAL)
    assert len(searches) == 1
    build_plan(nodes, USUAL, recall=True)
    assert len(searches) == 1
    build_plan([anomalies(days=66).node], USUAL, recall=True)
    build_plan(nodes, dt.Resources(workers=9, threads=2, memory="8 GiB"), recall=True)
    with dask.config.set({"tapestry.block-bytes": "1 MiB"}):
        build_plan(nodes, USUAL, recall=True)
    assert len(searches) == 4


def test_a_graph_that_was_given_up_beside_another_one_is_known_as_such():
    graph = Graph([anomalies().node])
    for given_up in (True, False):
        remember(graph, USUAL, search(graph, USUAL)._replace(given_up=given_up))
        assert recalled(graph, USUAL).given_up == given_up


def test_what_was_given_up_is_no_plan_of_the_same_graph_by_itself(searches):
    """A user's rule may lead to a graph that is written elsewhere."""
    x = dt.placeholder((2000, 500_000), "f8", (2000, 500_000))
    graph = Graph([x.sum(axis=0).node])
    roomy = search(graph, USUAL)
    tight = dt.Resources(workers=2, threads=2, memory="300 MB")
    remember(graph, tight, roomy._replace(given_up=True))
    assert not fits(graph, tight, recalled(graph, tight))
    build_plan(graph.roots, tight, recall=True).verify()
    assert len(searches) == 1


def test_a_plan_that_is_looked_at_has_a_frontier(searches):
    x = dt.placeholder((20_000, 20_000), "f8", (2000, 2000))
    with dask.config.set({"tapestry.resources": USUAL}):
        plan_of([(x @ x.T).node])
        assert len(dt.plan(x @ x.T).frontier) > 1
    assert len(searches) == 2


def test_forms_are_recalled(searches):
    x = dt.placeholder((10**6, 200), "f8", (10_000, 200))
    first = build_plan([(x.T @ x).node], USUAL)
    again = build_plan([(x.T @ x).node], USUAL, recall=True)
    assert first.choices.forms
    assert len(searches) == 1
    assert [step.cuts for step in again.steps.values()] == [s.cuts for s in first.steps.values()]
    assert again.cost == first.cost


def test_what_was_searched_for_otherwise_is_not_recalled(searches):
    x = dt.placeholder((3000, 3000), "f8", (1000, 1000))
    build_plan([(x @ x).node], USUAL, method="none")
    build_plan([(x @ x).node], USUAL, seed=1)
    build_plan([(x @ x).node], USUAL, recall=True)
    assert len(searches) == 3


def test_values_are_those_of_the_cells():
    x = np.random.default_rng(0).random((200, 60))
    for scale in (1.0, 2.0):
        y = ((dt.asarray(x * scale).T @ dt.asarray(x)) + 1).sum(axis=0)
        dt.plan(y)
        np.testing.assert_allclose(y.compute(), ((x * scale).T @ x + 1).sum(axis=0))


def test_exchanges_through_a_store_are_recalled(searches):
    few = dt.Resources(workers=8, threads=2, memory="4 GiB", bandwidth="1 GB/s")
    x = dt.placeholder((14610, 721, 1440), "f4", (24, 721, 1440))
    nodes = [dt.to_zarr(dt.abs(dt.fft.rfft(x, axis=0)), "nowhere", compute=False).node]
    first = build_plan(nodes, few)
    again = build_plan(nodes, few, recall=True)
    assert len(searches) == 1
    assert any(is_exchange(node) for node in again.graph.nodes)
    assert again.cost == first.cost
    again.verify()
