"""The best plan of one space: what is begun with, and what is not worth to be changed."""

from dask_tapestry.planner.search import one_space
from dask_tapestry.planner.search.budget import NO_EFFORT, WORTH
from dask_tapestry.planner.search.choices import Choices
from tests.planner.graphs import stored
from tests.planner.spaces import space_of


def sums():
    return space_of(stored((100_000, 100_000), "f8", (2000, 2000)).sum(axis=1))


def test_a_seed_that_is_far_too_slow_is_not_changed(monkeypatch):
    changed = []

    def improve(space, state, *others, **_):
        changed.append(state)
        return state

    monkeypatch.setattr(one_space, "improve", improve)
    space = sums()
    found = one_space._auto(space, WORTH, 0)
    assert changed
    assert not found.given_up
    changed.clear()
    space.most_seconds = 0.9 * found.seed_seconds
    given_up = one_space._auto(space, WORTH, 0)
    assert given_up.given_up
    assert not changed


def test_without_effort_the_seed_is_the_plan():
    space = sums()
    found = one_space.SEARCHES["auto"](space, NO_EFFORT, 0)
    assert found.state.choices == space.seed().choices
    assert not found.points


def test_without_a_search_every_operator_is_one_block():
    space = sums()
    assert one_space.SEARCHES["none"](space, WORTH, 0).state is space.state(Choices())
