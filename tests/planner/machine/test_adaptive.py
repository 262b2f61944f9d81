import math

import pytest

from dask_tapestry.memory.process_memory import machine_memory
from dask_tapestry.planner.machine import adaptive
from dask_tapestry.planner.machine.adaptive import Growth, grown_groups
from dask_tapestry.planner.machine.worker_group import WorkerGroup

ONE = WorkerGroup(1, 2, "1 GiB")


@pytest.fixture
def may_become(monkeypatch):
    def set_to(growth):
        monkeypatch.setattr(adaptive, "_looks", [lambda client: growth])

    return set_to


@pytest.mark.parametrize("growth", [None, Growth(math.inf, {}), Growth(1, {}), Growth(0, {})])
def test_workers_that_are_there_count(may_become, growth):
    may_become(growth)
    assert grown_groups(None, [ONE]) == [ONE]


def test_those_that_may_come_are_like_those_that_are_there(may_become):
    may_become(Growth(5, {"nthreads": 7}))
    assert grown_groups(None, [ONE, ONE]) == [ONE, ONE, WorkerGroup(3, 2, "1 GiB")]


def test_where_none_is_there_they_are_as_the_cluster_says(may_become):
    may_become(Growth(3, {"nthreads": 2, "memory_limit": "1 GB"}))
    assert grown_groups(None, []) == [WorkerGroup(3, 2, 10**9)]
    may_become(Growth(4, {"memory_limit": "auto"}))
    (group,) = grown_groups(None, [])
    assert (group.workers, group.memory) == (4, machine_memory() // 4)
    may_become(None)
    assert grown_groups(None, []) == []
