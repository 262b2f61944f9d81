"""What single changes of choices make better."""

from types import SimpleNamespace

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.search import local_search
from dask_tapestry.planner.search.budget import SearchBudget
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.local_search import (
    Missed,
    fit_to_memory,
    improve,
    made_to_fit,
    moves,
    second_chance,
    with_alike_held,
)
from dask_tapestry.planner.search.smaller_blocks import split_until_fits
from dask_tapestry.planner.search.tuning import CLOSE_CHANGE, COSTS_A_CHANGE, LEAST_GAIN
from tests.planner.graphs import stored
from tests.planner.spaces import COSTS, network, space_of


def test_layers_of_a_network_become_one_step():
    space = space_of(network(3))
    state = space.state(Choices())
    assert len(state.placed) == 3
    better = improve(space, state, COSTS)
    assert len(better.placed) == 1
    assert better.seconds < state.seconds
    (step,) = better.placed.values()
    assert step.cost.moved == 0


def test_what_blocks_read_again_and_again_is_held():
    x = stored((50_000, 50_000), "f8", (2000, 2000))
    space = space_of(x @ x.T + 1)
    state = space.state(Choices())
    assert any(x.node in choices.held for choices in moves(space, state))


def test_of_many_steps_that_are_alike_few_are_changed_alone():
    x = stored((14_600, 300, 400), "f4", (20, 300, 400))
    for months in (12, 24):
        chosen = [np.arange(14_600) // 30 % months == number for number in range(months)]
        space = space_of(*[x[mask].mean(axis=0) for mask in chosen])
        state = space.state(Choices(forms=space.chosen_forms()[1]))
        assert len(state.placed) >= 2 * months
        assert len(list(moves(space, state))) <= len(state.placed)


def test_nothing_gets_worse():
    for y in (network(2), stored() @ stored((1000, 500)), stored().sum(axis=1) * stored()[:, 0]):
        space = space_of(y)
        state = space.state(Choices())
        assert improve(space, state, COSTS).rank <= state.rank


def test_without_costs_nothing_is_tried():
    space = space_of(network(2))
    state = space.state(Choices())
    assert improve(space, state, 0) is state


def test_changes_that_gain_nothing_are_given_up_after_some_costs():
    """Those of a thousand steps, of which each takes other costs, would take them all."""

    class Impatient(SearchBudget):
        patience = COSTS_A_CHANGE

    y, spent = network(4), []
    best = improve(space := space_of(y), space.state(Choices()), COSTS).choices
    for effort in (None, Impatient(None)):
        space = space_of(y)
        state = space.state(best)
        before = space.pricing.evaluated
        assert improve(space, state, COSTS, effort) is state
        spent.append(space.pricing.evaluated - before)
    assert spent[1] < spent[0]


def test_from_each_plan_on_there_is_patience_for_a_better_one():
    class Patient(SearchBudget):
        patience = 200

    space, other = space_of(network(4)), space_of(network(4))
    best = improve(space, space.state(Choices()), COSTS)
    assert improve(other, other.state(Choices()), COSTS, Patient(None)).rank == best.rank


def test_changes_that_take_far_longer_are_given_up(monkeypatch):
    x = stored()
    space, found = space_of(dt.cumulative_sum(dt.exp(x), axis=0) @ x[:1000]), []
    first, within = space.state(Choices()), space.state_within

    def noted(choices, most, last):
        found.append((within(choices, most, last), most))
        return found[-1][0]

    monkeypatch.setattr(space, "state_within", noted)
    best = improve(space, first, COSTS)
    assert best.rank <= first.rank
    given_up = [most for other, most in found if other is None]
    assert given_up
    assert all(best.rank <= most <= first.rank.with_seconds(CLOSE_CHANGE) for most in given_up)


def test_what_workers_cannot_hold_is_computed_again():
    x = stored((50_000, 50_000), "f8", (2000, 2000))
    space = space_of((x - x.mean(axis=0)).sum(axis=1), resources=dt.Resources(4, 1, memory="2 GiB"))
    state = space.state(Choices(held=frozenset({x.node})))
    assert not space.fits(state)
    assert x.node in split_until_fits(space, state).placed, "smaller blocks do not help"
    found = fit_to_memory(space, state, COSTS)
    assert found is not None
    assert space.fits(found)
    assert x.node not in found.placed
    assert fit_to_memory(space, found, COSTS) is None


def test_a_change_that_was_missed_is_cut_anew():
    """Grids that are best for each step by itself hide what holding a value saves."""
    x = stored((40_000, 40_000), "u1", (2_000, 2_000))
    y = sum((dt.roll(x, n, axis=axis) for n in (1, -1) for axis in (0, 1)), x)
    space = space_of(dt.where(y > 2, y, 0))
    state = space.state(Choices())
    held = space.state(next(c for c in moves(space, state) if c.held == {x.node} and not c.grids))
    last = space.pricing.evaluated + COSTS
    found = second_chance(space, held, [Missed(held, LEAST_GAIN)], last)
    assert found is held or found.rank < held.rank
    assert second_chance(space, state, [], last) is state
    assert second_chance(space, state, [Missed(held, LEAST_GAIN)], 0) is state


WORKERS = dt.Resources(workers=50, threads=4, memory="16 GiB")


def descent(a, b, steps):
    """Conjugate gradients: each step multiplies a matrix by a vector that all steps before make."""
    x, r = dt.zeros_like(b), b
    p, squares = r, r @ r
    for _ in range(steps):
        ap = a @ p
        along = squares / (p @ ap)
        x, r = x + along * p, r - along * ap
        squares, before = r @ r, squares
        p = r + squares / before * p
    return x


def matrix_and_vector(n=200_000):
    return stored((n, n), "f8", (5000, 5000)), stored((n,), "f8", (5000,))


def test_what_promises_most_is_tried_first():
    a, b = matrix_and_vector()
    space = space_of(descent(a, b, 8), resources=WORKERS)
    state = space.state(Choices(forms=space.chosen_forms()[1]))
    first = next(moves(space, state))
    assert a.node in first.held
    assert list(moves(space, state))[-1].held > state.choices.held, "what saves little is the last"


def test_seconds_of_a_loop_grow_as_its_steps_do():
    a, b = matrix_and_vector()
    seconds = {}
    for steps in (2, 4, 8):
        plan = dt.plan(descent(a, b, steps), resources=WORKERS)
        assert plan.cost["bytes_read"] < 1.1 * a.nbytes
        seconds[steps] = plan.cost["seconds"]
    of_a_step = (seconds[4] - seconds[2]) / 2
    assert seconds[8] - seconds[4] < 1.3 * 4 * of_a_step


@pytest.mark.exhaustive  # a shorter loop is planned above
def test_values_that_are_alike_are_held_together():
    a, b = matrix_and_vector()
    space = space_of(descent(a, b, 16), resources=WORKERS)
    state = space.state(Choices(forms=space.chosen_forms()[1], held=frozenset([a.node])))
    better = with_alike_held(space, state)
    assert better.seconds < 0.8 * state.seconds
    vectors = [node for node in better.placed.keys() - state.placed.keys() if node.type.shape]
    assert len(vectors) >= 14


def test_what_is_made_of_a_matrix_is_held_in_its_place():
    a, b = matrix_and_vector()
    plan = dt.plan(descent((a + a.T) / 2, b, 3), resources=WORKERS)
    assert plan.cost["bytes_moved"] < 0.1 * a.nbytes
    assert plan.cost["bytes_read"] < 2.1 * a.nbytes


def test_large_values_are_given_up_together():
    """Where each is held, no single change makes room for the others."""
    xs = [stored((30_000_000, 1250), "f8", (2_000, 1250)) for _ in range(6)]
    y = sum(((x - x.mean(axis=1, keepdims=True)) ** 3).mean(axis=1) for x in xs)
    space = space_of(y, resources=WORKERS)
    state = space.state(Choices(held=frozenset(x.node for x in xs)))
    assert not space.fits(state)
    found = fit_to_memory(space, state, 3 * COSTS_A_CHANGE)
    assert found is not None
    assert not {x.node for x in xs} & set(found.placed)
    assert space.fits(found)


@pytest.mark.parametrize(
    ("fitting", "others", "tried"),
    [([10], [5, 12], [5]), ([], [12, 5], [5, 12]), ([], [12, 5, 30], [5, 12])],
)
def test_what_is_slower_than_a_plan_that_fits_is_not_made_to_fit(
    monkeypatch, fitting, others, tried
):
    """Of plans of so many seconds; what is changed until it fits takes four times as long."""

    def plan(seconds, fits):
        return SimpleNamespace(rank=Rank(0, 0.0, 0, 0, seconds), fits=fits)

    def fit_to_memory(_space, state, _costs):
        seen.append(state.rank.seconds)
        return plan(4 * seen[-1], True)

    seen = []
    monkeypatch.setattr(local_search, "fit_to_memory", fit_to_memory)
    states = [*[plan(s, True) for s in fitting], *[plan(s, False) for s in others]]
    made = made_to_fit(SimpleNamespace(fits=lambda state: state.fits), states, COSTS)
    assert seen == tried
    assert [one.rank.seconds for one in made] == [4 * s for s in tried]


@pytest.mark.exhaustive  # `test_exchanged_reads.py` has a shorter one
def test_a_value_goes_through_a_store_where_that_fits_in_smaller_blocks():
    """Each quantile reads all columns again; rewritten by columns, the plan lacks a few bytes."""
    x = dt.placeholder((2_000_000, 24), "f8", stored_chunks=(70_000, 24))
    low, high = dt.percentile(x, [5, 95], axis=0)
    within = (x >= low) & (x <= high)
    trimmed = dt.where(within, x, 0).sum(axis=0) / within.sum(axis=0)
    spread = dt.median(abs(x - dt.median(x, axis=0)), axis=0)
    outputs = trimmed, dt.clip(x, low, high).std(axis=0), spread
    plan = dt.plan(*outputs, resources=dt.Resources(2, 2, "300 MB"))
    plan.verify()
    assert plan.cost["bytes_read"] < 6 * x.nbytes
    assert x.nbytes <= plan.cost["bytes_written"] < 2 * x.nbytes
