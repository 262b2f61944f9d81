"""The best combination of grids."""

from itertools import product

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search import exact_grids
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.exact_grids import all_grids, best_grids, near_grids
from tests.planner.graphs import FOUR, stored
from tests.planner.spaces import space_of

X = stored((4000, 3000), "f8", (1000, 3000))


def held(y, *values):
    space = space_of(y, resources=FOUR)
    return space, space.state(Choices(held=frozenset(v.node for v in values)))


def chain():
    a = X + 1
    b = a.T * 2
    return held(b.sum(axis=0), a, b)


def diamond():
    a = X + 1
    b, c = a * 2, dt.exp(a)
    return held(b + c[::-1], a, b, c)


@pytest.mark.parametrize("make", [chain, diamond])
def test_it_is_the_best_of_all_combinations(make):
    space, state = make()
    grids = {node: list(g)[:4] for node, g in all_grids(space, state).items()}
    found = best_grids(space, state, grids)
    every = [
        space.state(Choices(held=state.choices.held, grids=dict(zip(grids, some, strict=True))))
        for some in product(*grids.values())
    ]
    best = min(every, key=lambda s: s.rank)
    assert found.seconds == pytest.approx(best.seconds, rel=1e-12)


def test_its_own_grids_are_among_those_near():
    space, state = chain()
    near = near_grids(space, state)
    assert all(p.grid in near[node] for node, p in state.placed.items())
    assert any(len(grids) > 1 for grids in near.values())
    assert best_grids(space, state, near).rank <= state.rank


def test_what_users_cut_stays_as_it_is():
    y = X.rechunk((500, 1000))
    space, state = held(y * 2)
    assert all_grids(space, state)[y.node] == [y.node.operator.layout]


def test_too_many_are_not_compared(monkeypatch):
    space, state = diamond()
    monkeypatch.setattr(exact_grids, "MOST_TABLE_ROWS", 10)
    assert best_grids(space, state, all_grids(space, state)) is None


def test_few_costs_are_spent_on_the_cheapest_combinations():
    space, state = diamond()
    grids = all_grids(space, state)
    best = best_grids(space, state, grids)
    spent = []
    for costs in (0, 200, 1000):
        fresh, same = diamond()
        before = fresh.pricing.evaluated
        found = best_grids(fresh, same, grids, costs)
        assert best.rank <= found.rank <= same.rank
        spent.append(fresh.pricing.evaluated - before)
    assert spent == sorted(spent)
    assert spent[0] <= exact_grids.LEAST_WAYS * sum(map(len, grids.values())) + len(grids)


def test_what_is_compared_grows_with_the_steps_alone():
    """All values of a descent wait together until its end, where the last step reads them."""

    def spent(steps):
        w, passed = X[0], []
        for _ in range(steps):
            w = w - X.T @ (X @ w)
            passed.append(w)
        space, state = held(dt.stack(passed), *passed)
        near = near_grids(space, state)
        before = space.pricing.evaluated
        assert best_grids(space, state, near, costs=0).rank <= state.rank
        return space.pricing.evaluated - before

    assert spent(24) <= 6 * spent(6)


def test_combinations_are_not_compared_where_the_fewest_take_far_more_than_they_are_worth(
    monkeypatch,
):
    space, state = held(dt.exp(X @ X.T))
    near = near_grids(space, state)
    assert best_grids(space, state, near, costs=0) is not None
    monkeypatch.setattr(exact_grids, "LEAST_ONCE_FOUND", 0)
    before = space.pricing.evaluated
    assert best_grids(space, state, near, costs=0) is None
    assert space.pricing.evaluated == before
