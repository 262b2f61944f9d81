"""When a plan that is changed beside a faster one is given up."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from dask_tapestry.planner.search import local_search
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.local_search import improve
from dask_tapestry.planner.search.races import Race
from dask_tapestry.planner.search.tuning import SURE_OF_PACE
from tests.planner.graphs import FAST_STORES
from tests.planner.spaces import COSTS, WIDE, gram, space_of


def plan(seconds, allowed=True):
    return SimpleNamespace(seconds=seconds, rank=SimpleNamespace(is_allowed=allowed))


def counter(evaluated=0):
    return SimpleNamespace(pricing=SimpleNamespace(evaluated=evaluated))


@pytest.mark.parametrize(("now", "is_lost"), [(80.0, True), (79.9, True), (40.0, False)])
def test_who_falls_behind_has_lost_once_the_pace_is_known(now, is_lost):
    space = counter()
    race = Race.begun_by(space, plan(80.0), plan(10.0), costs=3 * SURE_OF_PACE)
    assert not race.is_lost(plan(now))
    space.pricing.evaluated = SURE_OF_PACE
    assert race.is_lost(plan(now)) == is_lost
    space.pricing.evaluated = 2 * SURE_OF_PACE
    assert race.is_lost(plan(40.0)), "so much is too little now"
    assert not race.is_lost(plan(10.0))


@pytest.mark.parametrize("beside", [None, plan(10.0, allowed=False)])
def test_nobody_loses_to_what_is_not_there(beside):
    space = counter()
    race = Race.begun_by(space, plan(80.0), beside, costs=1000)
    space.pricing.evaluated = 1000
    assert not race.is_lost(plan(80.0))
    assert not Race.begun_by(counter(), plan(80.0, allowed=False), plan(10.0), 0).is_lost(plan(80))


def test_what_has_lost_is_changed_no_more(monkeypatch):
    monkeypatch.setattr("dask_tapestry.planner.search.races.SURE_OF_PACE", 1)
    wide = replace(WIDE, rates=FAST_STORES)
    space = space_of(gram(), resources=wide)
    state = space.state(Choices())
    best = improve(space, state, COSTS)
    spent, again = space.pricing.evaluated, space_of(gram(), resources=wide)
    monkeypatch.setattr(local_search, "second_chance", None)
    goal = SimpleNamespace(seconds=best.seconds / 1e30, rank=best.rank)
    found = improve(again, again.state(Choices()), COSTS, beside=goal)
    assert found.seconds >= best.seconds
    assert again.pricing.evaluated < spent
