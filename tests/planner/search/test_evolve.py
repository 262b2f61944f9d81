"""The search by chance."""

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search.budget import SearchBudget
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.evolve import Evolution, Score
from dask_tapestry.planner.search.tuning import PATIENCE_WINDOWS, WINDOW_TRIALS
from tests.planner.graphs import FOUR, stored
from tests.planner.spaces import gram, network, space_of


def evolved(space, seed=0, costs=2000, to_the_end=False):
    evolution = Evolution(space, seed)
    evolution.begin([space.state(Choices())])
    evolution.run(SearchBudget(costs, to_the_end))
    return evolution


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("y", [gram(), network(2), stored((50_000, 50_000)).sum(axis=1)])
def test_it_finds_better_plans(y):
    space = space_of(y)
    first = space.state(Choices())
    found = evolved(space)
    assert found.best.rank <= first.rank
    assert space.fits(found.best)
    assert len(list(found.frontier)) > 1
    assert sum(score.won for score in found.scores) > 0


def test_a_product_is_done_in_parts_though_none_was_proposed():
    space = space_of(gram(), resources=FOUR)
    found = evolved(space)
    assert found.best.choices.forms
    assert found.best.seconds < 0.8 * space.state(Choices()).seconds


def test_the_same_seed_finds_the_same_plan():
    costs = []
    for seed in (1, 1, 2):
        found = evolved(space_of(gram(), resources=FOUR), seed)
        costs.append([dict(point.cost) for point in found.frontier])
    assert costs[0] == costs[1] != costs[2]


def test_a_plan_that_does_not_fit_may_be_a_parent():
    tight = dt.Resources(workers=4, threads=1, memory="400 MB")
    space = space_of(gram(400_000, 2000), resources=tight)
    (grid,) = [p.grid for p in space.state(Choices()).placed.values()]
    seed = Choices(grids={space.graph.roots[0]: tuple(c.regular(c.extent, c.extent) for c in grid)})
    assert space.state(seed).shortfall > 0
    evolution = Evolution(space, 0)
    evolution.begin([space.state(seed)])
    evolution.run(SearchBudget(2000))
    assert evolution.best.shortfall == 0
    assert space.fits(evolution.best)


def test_it_ends_when_trials_gain_less_than_they_take():
    space = space_of(stored((1000, 1000)) + 1)
    before = space.pricing.evaluated
    found = evolved(space, costs=10**6)
    assert sum(score.tried for score in found.scores) <= PATIENCE_WINDOWS * WINDOW_TRIALS
    assert space.pricing.evaluated - before < 2000


def test_a_budget_is_spent_to_the_end():
    space = space_of(stored((1000, 1000)) + 1)
    before = space.pricing.evaluated
    evolved(space, costs=1500, to_the_end=True)
    assert 1500 <= space.pricing.evaluated - before < 1700


def test_what_has_paid_is_tried_more_often_and_nothing_never():
    mutator = Evolution(space_of(stored() + 1), 0).scores[0].mutator
    fresh, useful, useless = Score(mutator), Score(mutator, 40, 20), Score(mutator, 40, 0)
    assert useful.weight > fresh.weight > useless.weight > 0


def test_mutators_of_users_are_tried_and_checked():
    tried = []

    @dt.mutator(prior=100)
    def mine(state, node, rng):
        tried.append(node)
        yield from ([state.choices] if len(tried) < 3 else ["nothing"])

    space = space_of(stored() + 1)
    with dt.config(mutators=[mine]):
        evolution = Evolution(space, 0)
        evolution.begin([space.state(Choices())])
        with pytest.raises(TypeError, match="mutator mine: it yields str, not choices"):
            evolution.run(SearchBudget(5000, to_the_end=True))
    assert len(tried) >= 3
