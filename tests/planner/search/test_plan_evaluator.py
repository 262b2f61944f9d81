"""Plans by their choices."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.cost import exact_costs, typical_blocks
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.memory import lifetimes
from dask_tapestry.planner.search import plan_evaluator as module
from dask_tapestry.planner.search.choices import Choices, FormChoice
from dask_tapestry.planner.search.form_choice import choose_forms
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator, steps_of
from dask_tapestry.planner.search.pricing import Pricing
from dask_tapestry.teg import Graph
from dask_tapestry.zspace import Cuts
from tests.planner.graphs import FOUR, stored
from tests.planner.spaces import gram, space_of


def test_equal_choices_are_evaluated_once():
    space = space_of(stored() + 1)
    first = space.state(Choices())
    spent = space.pricing.evaluated
    assert space.state(Choices(held=frozenset())) is first
    assert space.pricing.evaluated == spent


def test_plans_that_take_too_long_are_given_up_and_not_begun_again():
    space, whole = space_of(stored() + 1), space_of(stored() + 1).state(Choices())
    less = whole.rank.with_seconds(0.5)
    assert space.state_within(Choices(), less) is None
    spent = space.pricing.evaluated
    assert space.state_within(Choices(), less.with_seconds(0.9)) is None
    assert space.pricing.evaluated == spent
    found = space.state_within(Choices(), whole.rank)
    assert found is not None
    assert found.rank == whole.rank
    assert space.state_within(Choices(), less) is found is space.state(Choices())


def test_a_plan_is_given_up_once_costs_are_spent_and_may_be_begun_again():
    y = stored()
    for _ in range(4):
        y = (y - y.mean(axis=0)).rechunk(-1)
    space, whole = space_of(y), space_of(y).state(Choices())
    last = space.pricing.evaluated + 10
    assert space.state_within(Choices(), whole.rank, last) is None
    spent = space.pricing.evaluated
    assert spent > last
    found = space.state_within(Choices(), whole.rank)
    assert found is not None
    assert found.rank == whole.rank
    assert space.state_within(Choices(), whole.rank, last) is found


@pytest.mark.parametrize(
    "look",
    [PlanEvaluator.fullest_at_worst, PlanEvaluator.fullest, PlanEvaluator.peak_at_worst],
)
def test_to_look_at_memory_counts_once(look):
    y = stored()
    for _ in range(8):
        y = (y - y.mean(axis=0)).rechunk(-1)
    space = space_of(y)
    state = space.state(Choices())
    before = space.pricing.evaluated
    look(space, state)
    spent = space.pricing.evaluated
    look(space, state)
    assert before < spent == space.pricing.evaluated


@pytest.mark.parametrize("times", [0.5, 0.99, 1.0, 1.1])
def test_a_plan_within_a_rank_is_the_plan(times):
    for x in (stored(), stored() @ stored().T, dt.median(stored(), axis=0)):
        plan = space_of(x + 1).state(Choices())
        found = space_of(x + 1).state_within(Choices(), plan.rank.with_seconds(times))
        assert (found is None) == (times < 1.0)
        assert found is None or (found.rank, found.placed.keys()) == (plan.rank, plan.placed.keys())


def test_forms_are_chosen_once_however_results_are_fetched(monkeypatch):
    chosen = []

    def counting(graph, *args):
        chosen.append(graph)
        return choose_forms(graph, *args)

    monkeypatch.setattr(module, "choose_forms", counting)
    space = space_of(gram())
    state = space.state(Choices(forms=space.chosen_forms()[1]))
    others = [space.in_rounds(4), space.with_reserve(state)]
    assert others[0].rounds == 4
    assert all(other.chosen_forms() is space.chosen_forms() for other in others)
    assert len(chosen) == 1


def test_choices_follow_their_nodes_into_other_forms():
    y = gram()
    later = (y + 1).sum(axis=0)
    space = space_of(later)
    grid = space.state(Choices()).placed[y.node].grid
    choices = Choices(held=frozenset([y.node]), grids={y.node: grid})
    moved = space.in_forms(choices, {y.node: (FormChoice("parts", 50_000),)})
    graph, became = space.became(moved.forms)
    assert moved.held == {became[y.node]} <= set(graph.nodes)
    assert list(moved.grids) == [became[y.node]]
    assert space.in_forms(moved, {}) == choices


def test_what_is_no_longer_there_is_forgotten():
    y = gram()
    space = space_of(y)
    formed = Choices(forms={y.node: (FormChoice("parts", 50_000),)})
    parts = next(iter(space.state(formed).placed))
    assert parts is not y.node
    assert space.in_forms(replace(formed, fused=frozenset([parts])), {}).fused == frozenset()


def test_what_workers_cannot_hold_does_not_fit():
    x = stored((100_000, 10_000))
    small = dt.Resources(workers=2, threads=1, memory="2 GiB")
    y = x.rechunk((1000, -1)) + 1
    state = space_of(y, resources=small).state(Choices())
    assert not space_of(y, resources=small).fits(state)
    space = space_of(y, resources=small)
    assert space.missed(state) is None
    assert space.hope(state) == state.rank, "with smaller tasks it may fit"
    assert not space.fits(state)
    cut = space.state(Choices(grids={y.node: tuple(Cuts.regular(n, 100) for n in y.shape)}))
    assert space.missed(cut) is None, "the values lack memory, whatever tasks take"
    roomy = space_of(y)
    assert roomy.hope(roomy.state(Choices())) is None
    assert roomy.fits(roomy.state(Choices()))
    assert roomy.fullest(roomy.state(Choices())).bytes > 0


def test_steps_are_those_of_the_choices():
    y = stored().sum(axis=1) + 1
    space = space_of(y, resources=FOUR)
    state = space.state(Choices())
    steps = steps_of(state, Machine.of(FOUR))
    assert list(steps) == list(state.placed)
    assert [s.cuts for s in steps.values()] == [p.grid for p in state.placed.values()]


def test_what_a_worker_lacks_is_what_does_not_fit():
    """Slices are counted only where it depends on them: with all of them, or none, bounds hold."""
    x = stored((20_000, 20_000), "f8", (500, 20_000))
    graph = Graph([(x.T @ x).sum(axis=0).node, x.rechunk((20_000, 400)).node])
    found = set()
    for memory in ("600 MB", "1200 MB", "2400 MB", "40 GB"):
        machines = dt.Resources(workers=4, threads=2, memory=memory)
        space = PlanEvaluator(graph, Pricing(Machine.of(machines), Limits.of(machines)), machines)
        state = space.state(Choices())
        lacking, exact = space.lacking(state), space.fullest(state).bytes - machines.usable_bytes
        assert (lacking == 0) == (exact <= 0) == space.fits(state)
        assert lacking <= max(0, exact)
        found.add(lacking > 0)
    assert found == {True, False}


def test_where_there_is_room_no_value_is_looked_for_that_takes_the_place_of_another(monkeypatch):
    def relays(*_):
        raise AssertionError("it takes long")

    monkeypatch.setattr(lifetimes, "relays", relays)
    x = stored((2000, 2000), "f8", (500, 500))
    space = space_of((x @ x - x.mean(axis=0)) @ x)
    state = space.state(Choices())
    assert len(state.placed) > 1
    assert not space.lacking(state)


def test_no_slices_are_counted_to_compare_plans(monkeypatch):
    x = stored((20_000, 20_000), "f8", (500, 20_000))
    space = space_of((x.T @ x).sum(axis=0))
    state = space.state(Choices())
    exact = space_of((x.T @ x).sum(axis=0)).fullest_at_worst(state).bytes
    monkeypatch.setattr(exact_costs, "counted_cost", lambda *_: pytest.fail("it takes long"))
    assert space.fits_at_worst(state)
    assert 0.9 * exact <= space.peak_at_worst(state) <= 1.1 * exact


def test_steps_that_differ_in_data_alone_have_one_program_in_sketches():
    x = stored((2000, 2000), "f8", (500, 500))
    y = ((x + 1) @ x + 2) @ x + 3
    space = space_of(((y @ x) + 4) @ x)
    state = space.state(Choices())
    steps = space.sketch(state).steps.values()
    assert len({id(step.program) for step in steps}) < len(steps)
    own = [step.program for step in steps_of(state, space.pricing.machine).values()]
    assert len(set(own)) == len(own)


@pytest.fixture
def one_sample(monkeypatch):
    """Of joined values the first block alone is looked at."""
    monkeypatch.setattr(typical_blocks, "SAMPLE_BLOCKS", 1)
    typical_blocks._kinds.cache_clear()
    yield
    typical_blocks._kinds.cache_clear()


def test_a_reserve_is_kept_for_blocks_that_take_more(one_sample):
    x = dt.concatenate([dt.zeros((9100, 1000)), dt.sqrt(stored((900, 1000), "f8", (100, 1000)))])
    graph = Graph([x.T.T.node])
    machines = dt.Resources(workers=2, threads=2, memory="1 GB")
    space = PlanEvaluator(graph, Pricing(Machine.of(machines), Limits.of(machines)), machines)
    state = space.state(Choices())
    roomy = space.with_reserve(state)
    usable = machines.usable_bytes
    assert space.fits(state)
    assert roomy.reserve > 0
    none = PlanEvaluator(graph, space.pricing, machines, reserve=usable)
    assert none.lacking(state) == space.fullest(state).bytes


@pytest.mark.parametrize("may_fit", [True, False])
def test_smaller_tasks_give_no_hope_where_values_lack_memory(monkeypatch, may_fit):
    """What lacks it for values that are held whole fits in no smaller blocks."""
    few = dt.Resources(workers=2, threads=2, memory="500 MiB")
    space = space_of(stored((100_000, 1000)) + 1, resources=few)
    state = space.state(Choices())
    slower = SimpleNamespace(rank=state.rank.with_seconds(2))
    if may_fit:
        monkeypatch.setattr(space, "may_fit_in_smaller_blocks", lambda _: True)
    assert not space.fits(state)
    assert space.missed(slower) == (state.rank if may_fit else None)
