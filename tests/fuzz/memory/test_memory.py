"""Workers that have what a plan by hand needs, and programs that must not be refused for them."""

from random import Random

import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.planner.machine.resources import current
from dask_tapestry.planner.memory.results import ResultMemory
from tests.covering import seeds_of
from tests.fuzz.memory import programs


def is_planned(seed, folder):
    """Plan a program for workers of what it needs; a refusal is an error."""
    random = Random(seed)
    program = programs.drawn(random, folder)
    machines = program.resources(random)
    try:
        dt.plan(program.root, resources=machines).core.verify(ResultMemory.FETCHED)
    except dt.MemoryLimitError as error:
        raise AssertionError(f"{seed}: {program.text} for {machines}: {error}") from None


@pytest.mark.parametrize("seed", seeds_of(range(0, 24, 6), 1))
def test_a_fixed_share_of_programs_that_stream_is_planned(seed, tmp_path):
    for number in range(seed, seed + 6):
        is_planned(number, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(1000, 1200, 10))
def test_many_programs_that_stream_are_planned(seed, tmp_path):
    for number in range(seed, seed + 10):
        is_planned(number, tmp_path)


@pytest.mark.cluster
def test_the_workers_of_a_cluster_have_the_plans_of_equal_resources(tmp_path):
    options = {"n_workers": 2, "threads_per_worker": 2, "memory_limit": "1.5 GB"}
    with LocalCluster(**options, dashboard_address=":0") as cluster, Client(cluster):
        live = current()
        rates = {"bandwidth": live.bandwidth, "rates": live.rates, "workers_per_host": 2}
        rates["total_bandwidth"] = live.total_bandwidth
        equal = dt.Resources(workers=2, threads=2, memory="1.5 GB", **rates)
        assert live == equal
        for seed in range(4):
            program = programs.drawn(Random(seed), tmp_path)
            here, there = (explained(program, machines) for machines in (None, equal))
            assert here == there


def explained(program, machines):
    """A program's plan in words, or why there is none."""
    try:
        return dt.plan(program.root, resources=machines, budget=0.1).explain()
    except dt.MemoryLimitError as error:
        return str(error)
