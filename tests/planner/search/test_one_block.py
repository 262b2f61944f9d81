"""Which plans are one block a result; what they compute is compared with NumPy's values."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.caches import clear_caches
from dask_tapestry.planner.cost.rank import rank
from dask_tapestry.planner.rewriting.passes import rewritten
from dask_tapestry.planner.search import one_space
from dask_tapestry.planner.search import search as searching
from dask_tapestry.planner.search.budget import WORTH
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.one_block import in_one_block, saves_less_than_planning
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Graph
from tests.planner.graphs import stored
from tests.planner.search.test_pricing import pricing

PLANNED_WHOLE = (
    lambda x: ((dt.sin(x) + dt.exp(x)) - x.mean(axis=0)).T.sum(axis=1),
    lambda x: dt.sqrt(dt.abs(x[::-1])) * 2 + 1,
    lambda x: dt.concatenate([x, x.max(axis=0, keepdims=True)]) * 3,
)
HERE = dt.Resources(workers=1, threads=2, memory="8 GiB")


def space(*results, resources=HERE):
    graph = rewritten(Graph([y.node for y in results]), Trace())
    return PlanEvaluator(graph, pricing(resources), resources)


def orthogonal(xp, columns):
    """The columns, each made orthogonal to those before it and of length 1."""
    done = []
    for column in columns:
        for other in done:
            column = column - (other @ column) * other
        done.append(column / xp.sqrt(column @ column))
    return xp.stack(done)


def test_many_small_products_are_one_step():
    cells = np.random.default_rng(0).normal(size=(8, 500))
    y = orthogonal(dt, list(dt.asarray(cells)))
    plan = y.plan(resources=HERE)
    plan.verify()
    assert plan.cost["tasks"] == 1
    np.testing.assert_allclose(plan.compute(), orthogonal(np, list(cells)), rtol=1e-12, atol=1e-12)


def test_no_form_is_looked_at_where_none_can_pay(monkeypatch):
    def refuse(*_):
        raise AssertionError("forms were compared")

    monkeypatch.setattr(PlanEvaluator, "chosen_forms", refuse)
    x = dt.asarray(np.arange(1000.0))
    assert (x - x.mean()).plan(resources=HERE).cost["tasks"] == 1


def test_work_that_is_long_enough_is_cut():
    x = dt.placeholder((2000, 2000), "f8")
    y = dt.sin(x) * dt.exp(x)
    state = in_one_block(space(y))
    assert state is not None
    assert not saves_less_than_planning(state, space(y), WORTH)
    assert y.plan(resources=HERE).cost["tasks"] > 1


def test_what_is_large_is_not_looked_at():
    assert in_one_block(space(stored((100_000, 10_000)).sum())) is None


def rows_of_others(x, count):
    """A loop in which each row that is written is made of one that was written before."""
    for i in range(count):
        x[i % 100] = x[i * 7 % 100] + 1
    return x


def test_a_long_program_of_small_values_is_looked_at():
    """All of them together are more than what a short program may have."""
    y = rows_of_others(dt.asarray(np.zeros((100, 1400))), 300)
    plans = space(y)
    assert sum(node.type.nbytes for node in plans.graph.nodes) > 2**28
    state = in_one_block(plans)
    assert saves_less_than_planning(state, plans, WORTH)
    assert len(plans.graph.nodes) > 600


@pytest.mark.parametrize("times", [1.0, 2.0, 1e6])
def test_a_part_that_repeats_is_cut_where_all_of_its_repeats_are_worth_it(times, monkeypatch):
    searched = []
    seed = PlanEvaluator.seed

    def counted(*arguments):
        searched.append(1)
        return seed(*arguments)

    monkeypatch.setattr(PlanEvaluator, "seed", counted)
    x = dt.asarray(np.zeros((400, 400)))
    one_space._auto(space(dt.sin(x) * dt.exp(x)), WORTH._replace(times=times), 0)
    assert bool(searched) == (times > 100)


def test_a_few_cells_of_what_is_large_are():
    x = dt.asarray(np.zeros((10**4, 10**4)))
    assert in_one_block(space(x[:5, :5] + 1)) is not None


def test_blocks_that_a_user_wants_are_made():
    x = dt.asarray(np.arange(1000.0))
    with dt.config(block_bytes="800 B"):
        assert in_one_block(space(x + 1)) is None
        assert (x + 1).plan(resources=HERE).cost["tasks"] > 1


def test_what_several_results_need_is_computed_once():
    x = dt.asarray(np.random.default_rng(0).normal(size=(40, 40)))
    shared = x @ x
    state = in_one_block(space(shared + 1, shared * 2, shared.sum()))
    assert len(state.placed) == 4
    assert sum(type(n.operator).__name__ == "MatMul" for n in state.placed) == 1


def test_a_plan_that_is_refused_is_none():
    x = dt.asarray(np.zeros((1000, 1000)))
    least = dt.Resources(workers=1, threads=1, memory="9 MB")
    y = space(dt.sort(x, axis=0)[::-1] + x, resources=least)
    state = in_one_block(y)
    assert (
        state is None or rank(*next((p.cost, p.limits) for p in state.placed.values())).is_allowed
    )
    assert state is None


@pytest.mark.parametrize("seconds", [None, 0.01])
def test_a_budget_asks_for_a_search(seconds, monkeypatch):
    searched = []
    seed = PlanEvaluator.seed

    def counted(*arguments):
        searched.append(1)
        return seed(*arguments)

    monkeypatch.setattr(PlanEvaluator, "seed", counted)
    x = dt.asarray(np.arange(1000.0))
    searching.search(Graph([(x + x.sum()).node]), HERE, budget=seconds)
    assert bool(searched) == (seconds is not None)


@pytest.mark.parametrize("dtype", ["?", "u1", "i8", "f2", "f4", "c16", "M8[s]", "U3", "O"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0), (4, 5)])
def test_all_cells_and_shapes(dtype, shape):
    cells = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    x = dt.asarray(cells)
    y = dt.concatenate([x.ravel(), x.ravel()])
    np.testing.assert_array_equal(
        y.plan(resources=HERE).compute(), np.concatenate([cells.ravel()] * 2)
    )


def test_choices_name_what_is_fused():
    x = dt.asarray(np.arange(12.0).reshape(3, 4))
    y = (x - x.mean(axis=0)).sum()
    plans = space(y)
    state = in_one_block(plans)
    assert state.choices != Choices()
    assert list(state.placed) == list(plans.graph.roots)


@pytest.mark.parametrize("work", PLANNED_WHOLE)
def test_of_one_block_no_other_cells_are_looked_at(work, monkeypatch):
    looked = []
    scheduled = Program._schedule

    def noted(program, box, rounded):
        looked.append((program.type.shape, box, rounded))
        return scheduled(program, box, rounded)

    clear_caches()
    monkeypatch.setattr(Program, "_schedule", noted)
    dt.plan(work(dt.asarray(np.ones((9, 7)))), resources=dt.Resources(threads=2))
    assert looked
    assert all(box.shape == shape and rounded for shape, box, rounded in looked)


def test_small_loops_are_one_block_before_parts_are_left_out_of_them(monkeypatch):
    def refuse(*_):
        raise AssertionError("a shorter graph was searched")

    monkeypatch.setattr(searching, "_lengthened", refuse)
    cells = np.random.default_rng(0).normal(size=(300, 20))
    x, w = dt.asarray(cells), dt.zeros(20)
    expected = np.zeros(20)
    for _ in range(20):
        w = w - 1e-3 * (x.T @ (x @ w - 1))
        expected = expected - 1e-3 * (cells.T @ (cells @ expected - 1))
    plan = w.plan(resources=HERE)
    assert plan.cost["tasks"] == 1
    np.testing.assert_allclose(plan.compute(), expected, rtol=1e-12, atol=1e-12)
