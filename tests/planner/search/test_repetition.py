"""A graph in which a part repeats is planned as a short one: legally, and about as well."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search import search as module
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.plan_spaces import plan_spaces
from dask_tapestry.planner.search.repetition import shortened
from dask_tapestry.teg import Graph
from tests.planner.graphs import FOUR, stored


def descent(steps, cells=20_000):
    a, b = stored((cells, 100), "f8", (1000, 100)), stored((cells,), "f8", (1000,))
    w = dt.zeros(100)
    for _ in range(steps):
        w = w - 1e-3 * (a.T @ (a @ w - b))
    return [w]


def normalised(steps):
    y = stored((10_000, 100), "f8", (1000, 100))
    for number in range(steps):
        y = (y - y.mean(axis=0)) * 0.5 + number
    return [y]


def layers(count):
    y = stored((10_000, 256), "f4", (1000, 256))
    for _ in range(count):
        w = stored((256, 256), "f4", (256, 256))
        y = dt.maximum(y @ w, 0)
    return [y]


def in_memory(count):
    y = stored((10_000, 64), "f8", (1000, 64))
    for number in range(count):
        y = y - dt.asarray(np.full((10_000, 64), number, "f8")).mean(axis=0)
    return [dt.cumsum(y, axis=0)]


def turned(steps):
    y = stored((4000, 4000), "f8", (500, 4000))
    for _ in range(steps):
        y = dt.cumsum(dt.cumsum(y, axis=0), axis=1) * 0.5
    return [y]


def summed(count):
    x = stored((4000, 1000), "f8", (500, 1000))
    return [(x * (n + 2)).max(axis=n % 2) for n in range(count)]


def batches(count):
    a = stored((24_000, 100), "f8", (1000, 100))
    w = dt.zeros(100)
    for n in range(count):
        part = a[n * 1000 : (n + 1) * 1000]
        w = w - 1e-3 * (part.T @ (part @ w))
    return [w]


def channels(count):
    x = stored((count, 40_000), "f8", (count, 4000))
    return [sum(x[n, 7 * n : 7 * n + 39_000] for n in range(count)) / count]


JOBS = (descent, normalised, layers, in_memory, turned, summed, batches, channels)


@pytest.mark.few(4)  # one question each
@pytest.mark.parametrize("job", JOBS)
def test_plans_of_many_parts_are_sound_and_compute_what_was_asked(job):
    roots = job(24)
    plan = dt.plan(*roots, resources=FOUR)
    plan.verify()
    dt.verify(plan, *roots)


@pytest.mark.few(3)  # one question each
@pytest.mark.parametrize("job", [descent, normalised, turned, batches, channels])
def test_they_are_about_as_good_as_plans_that_are_searched_whole(job, monkeypatch):
    short = dt.plan(*job(16), resources=FOUR).cost
    monkeypatch.setattr(module, "shortened", lambda graph: None)
    whole = dt.plan(*job(16), resources=FOUR).cost
    assert short["seconds"] <= 1.2 * whole["seconds"]
    assert short["bytes_read"] + short["bytes_moved"] <= 1.2 * (
        whole["bytes_read"] + whole["bytes_moved"] + 1e8
    )


def test_what_is_searched_does_not_grow_with_the_parts():
    sizes = [len(shortened(Graph([x.node for x in descent(n)])).graph.nodes) for n in (20, 200)]
    assert max(sizes) - min(sizes) <= 8 * 2


def test_parts_that_are_left_out_take_the_choices_of_those_before():
    graph = Graph([normalised(20)[0].node])
    short = shortened(graph)
    assert set(short.graph.nodes) == set(short.like.values())
    assert short.times == len(graph.nodes) / len(short.graph.nodes)
    for node, one in short.like.items():
        assert (node.operator.name, node.type) == (one.operator.name, one.type)


def test_arrays_in_memory_differ_in_their_data_alone():
    assert shortened(Graph([in_memory(20)[0].node])) is not None


def test_what_repeats_seldom_or_is_read_from_outside_is_left_whole():
    assert shortened(Graph([normalised(5)[0].node])) is None
    y, every = stored((1000,), "f8", (100,)), []
    for _ in range(20):
        y = dt.cumsum(y) * 0.5
        every.append(y)
    assert shortened(Graph([dt.stack(every).sum(axis=0).node])) is None


def bands(count):
    x = stored((count, 24, 300, 400), "f4", (1, 24, 300, 400))
    scale = dt.asarray(np.linspace(1, 2, 300)).astype("f4")[:, None]
    every = (x * scale).mean(axis=1)
    return [every[n] for n in range(count)]


def test_parts_of_one_value_are_planned_with_all_of_it():
    """Each needs less of it, the more parts there are: a few are no likeness of many."""
    assert shortened(Graph([x.node for x in bands(400)])) is None
    few, many = (dt.plan(*bands(n), resources=FOUR).cost for n in (40, 400))
    assert many["bytes_read"] <= 10.5 * few["bytes_read"]
    assert many["tasks"] <= 10.5 * few["tasks"]


def test_plans_of_other_graphs_are_not_taken_over():
    graph = Graph([x.node for x in turned(20)])
    short = shortened(graph)
    pricing = plan_spaces(graph, FOUR, "auto")[0].pricing
    spaces = [PlanEvaluator(one, pricing, FOUR) for one in (short.graph, graph)]
    state = spaces[0].state(Choices())
    made = short.lengthened(state, *spaces)
    assert made is not None
    assert len(made.placed) > len(state.placed)
    assert made.graph is graph or made.graph == graph


def test_values_are_those_of_the_loop():
    cells = np.arange(12.0).reshape(4, 3)
    y, expected = dt.asarray(cells), cells
    for number in range(30):
        y = (y - y.mean(axis=0)) * 0.5 + number
        expected = (expected - expected.mean(axis=0)) * 0.5 + number
    with dt.config(resources=FOUR):
        assert np.allclose(y.compute(), expected)
