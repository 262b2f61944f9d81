"""Costs of chosen steps, against the tasks that are written out for them."""

from dataclasses import replace
from random import Random
from statistics import median

import pytest

import dask_tapestry as dt
from dask_tapestry.diagnostics.explain import explain
from dask_tapestry.lower.cancellation import Cancellation
from dask_tapestry.lower.layers import StepLayer
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.planner.access import access
from dask_tapestry.planner.cost import exact_costs
from dask_tapestry.planner.cost.cost import step_cost, with_taken
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.zspace import Cuts
from tests.covering import seeds_of
from tests.planner.enumerated import any_exchange, any_saving
from tests.planner.graphs import FOUR, stored
from tests.planner.small_steps import random_cuts, random_step
from tests.planner.written_out import SAVES, layers_of, misjudged, random_plan, references_of

SHARE, ALL = range(60), range(60, 360, 100)  # in hundreds, of which each run has the first
STEPS = 150


@pytest.fixture
def saving():
    """Sets how many bytes a slice must save."""
    with any_saving() as set_bytes:
        yield set_bytes


def compare(seed, saving):
    """Compare the cost of a random plan with its layers."""
    random = Random(seed)
    saving(random.choice(SAVES))
    assert not list(misjudged(random_plan(random))), seed


def test_tasks_are_those_that_are_written_out(saving):
    for seed in SHARE:
        compare(seed, saving)


def exchanging_plan(random):
    """A plan of values that are cut in one way and then in another."""
    shape = tuple(random.choice((8, 20, 31)) for _ in range(random.randint(1, 3)))

    def cut(x):
        return x.rechunk(tuple(tuple(random_cuts(random, n).lengths()) for n in x.shape))

    x = cut(dt.placeholder(shape, "f8"))
    y = cut(random.choice((x + 1, x.T, x + dt.ones(shape))))
    return dt.plan(cut(y * y), resources=FOUR).core


def test_tasks_of_exchanges_are_those_that_are_written_out(saving):
    found = []
    with any_exchange():
        for seed in SHARE:
            saving(Random(seed).choice(SAVES[:2]))
            plan = exchanging_plan(Random(seed))
            assert not list(misjudged(plan)), seed
            found += [step for step in plan.steps.values() if step.cost.parts]
    assert len(found) > len(SHARE) / 2


@pytest.mark.slow
@pytest.mark.parametrize("first", seeds_of(ALL, 1))
def test_tasks_of_many_plans_are_those_that_are_written_out(saving, first):
    for seed in range(first, first + 100):
        compare(seed, saving)


def test_blocks_below_a_diagonal_wait_for_one_block():
    x = dt.placeholder((4, 400, 300), "f8").rechunk((1, 100, -1))
    plan = dt.plan(x @ dt.swapaxes(x, -1, -2), resources=FOUR).core
    grid = (Cuts.regular(4, 2), Cuts.regular(400, 100), Cuts.regular(400, 100))
    step = replace(plan.steps[plan.graph.roots[0]], cuts=grid)
    layer = StepLayer(StepSpec.of(step, step.held, Cancellation()), ("x",))
    assert layer.spec.symmetric
    assert step.cost.edges == sum(references_of(layer, key[1:]) for key in layer)


def test_effects_have_tasks_of_their_own(tmp_path):
    x = dt.ones((10, 10)).rechunk((5, 10))
    first = dt.to_zarr(x, tmp_path / "x", compute=False)
    second = dt.to_zarr(x + 1, tmp_path / "y", compute=False, after=[first, x * 3])
    plan = dt.plan(second, resources=FOUR).core
    assert plan.cost["tasks"] == sum(map(len, layers_of(plan).values()))


def test_the_search_compares_much_the_same(saving):
    """Steps are so small that most of their seconds are those of edges and slices."""
    machine = Machine.of(FOUR)
    seconds, moved = [], []
    for seed in range(STEPS):
        random = Random(seed)
        program, cuts = random_step(random)
        held = tuple(tuple(random_cuts(random, n) for n in x.shape) for x in program.inputs)
        saving(random.choice((64, 400, 4096)))
        estimate = step_cost(program, cuts, held, machine, 2**25)
        assert min(estimate.read, estimate.moved) >= 0
        taken = exact_costs.counted(program, cuts, held, machine)
        seconds.append(with_taken(estimate, taken, cuts, machine).seconds / estimate.seconds)
        moved.append((1 + taken.moved) / (1 + estimate.moved))
    assert all(1 / 8 < ratio < 8 for ratio in seconds)  # the first fetch alone may be most
    assert sum(1 / 2 < ratio < 2 for ratio in seconds) >= 0.9 * STEPS
    assert sum(1 / 3 < ratio < 3 for ratio in moved) >= 0.85 * STEPS
    assert median(seconds) == pytest.approx(1, abs=0.01)
    assert median(moved) == pytest.approx(1, abs=0.01)


def test_what_cannot_be_counted_is_estimated(monkeypatch):
    monkeypatch.setattr(access, "MOST_CLASSES", 3)
    x = stored((1000, 100), "f8", (100, 100)).rechunk((50, -1))
    plan = dt.plan(dt.cumsum(x, axis=0), resources=FOUR, method="none").core
    *_, (node, step) = plan.steps.items()
    cut = replace(step, cuts=(Cuts.regular(1000, 200), Cuts.regular(100, 100)))
    assert cut.cost == cut.estimate
    assert not cut.cost.counted
    assert "not counted" in explain(replace(plan, steps={**plan.steps, node: cut}))
    assert "not counted" not in explain(plan)


def test_all_blocks_count_not_the_largest_one_alone():
    x = dt.placeholder((1000, 1000), "f8").rechunk((100, 100))
    plan = dt.plan((x + x.T).rechunk((100, 100)), resources=FOUR).core
    step = plan.steps[plan.graph.roots[0]]
    assert step.cuts == (Cuts.regular(1000, 100),) * 2
    assert step.estimate.edges == 200
    assert step.cost.edges == 190, "on the diagonal two blocks are one"


def test_a_block_lies_with_one_of_the_boxes_that_it_reads():
    x = dt.placeholder((8000, 8000), "f8").rechunk((1000, 1000))
    plan = dt.plan((x + x.T).rechunk((1000, 1000)), resources=FOUR).core
    step = plan.steps[plan.graph.roots[0]]
    assert step.cuts == (Cuts.regular(8000, 1000),) * 2
    assert step.cost.moved == 56 * 1000 * 1000 * 8, "of each pair of blocks off the diagonal one"
