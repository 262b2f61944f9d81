"""What is said to be ample is never more than the fullest worker may hold."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.memory.ample_memory import is_ample
from dask_tapestry.planner.memory.memory import Slices, fullest_workers
from tests.planner.graphs import FOUR, stored

HERE = dt.Resources(workers=1, threads=2, memory="64 MB", local=True)


def programs():
    x = stored((2000, 1000), "f8", (500, 1000))
    yield x + 1
    yield dt.sqrt(x).sum(axis=0)
    yield (x @ x.T).rechunk((100, -1)) * 2
    yield dt.sort(x, axis=0)
    yield dt.asarray(np.ones((300, 200))).T @ dt.ones((300, 50))
    yield dt.concatenate([x, x[::-1]]).mean(axis=1)
    yield dt.asarray(np.ones((100, 100)))


@pytest.mark.parametrize("number", range(7))
@pytest.mark.parametrize("machines", [FOUR, HERE, dt.Resources(2, 2, "200 MB")])
def test_no_worker_holds_more(number, machines):
    y = list(programs())[number]
    try:
        plan = dt.plan(y, resources=machines).core
    except dt.MemoryLimitError:
        return
    fullest = fullest_workers(plan, Slices.ALL)
    room = fullest.usable - fullest.bytes
    assert not is_ample(plan, reserve=room + 1)


def test_small_values_are_known_to_fit():
    plan = dt.plan(dt.ones((10, 10)) + 1, resources=FOUR).core
    assert is_ample(plan)
    assert not is_ample(plan, reserve=FOUR.usable_bytes)


def test_of_groups_and_devices_nothing_is_said():
    unlike = dt.Resources(groups=[(1, 1, "8 GiB"), (1, 2, "4 GiB")])
    assert not is_ample(dt.plan(dt.ones((10, 10)) + 1, resources=unlike).core)


def test_plans_are_found_without_looking_for_what_is_held_together(monkeypatch):
    def refused(*_):
        raise AssertionError("this takes long")

    monkeypatch.setattr("dask_tapestry.planner.memory.memory.Lifetimes", refused)
    plan = dt.plan(dt.ones((10, 10)) + 1, resources=FOUR)
    plan.verify()
