"""Which values of a plan lie in runs, and what is known of them once they are persisted."""

import numpy as np
import pytest
from distributed import Client, wait

import dask_tapestry as dt
from dask_tapestry.planner.cost.values_in_runs import values_in_runs

ONE, TWO = (dt.Resources(workers, threads=1, memory="4 GiB", local=False) for workers in (1, 2))


def in_runs(x, resources=TWO):
    core = x.plan(resources=resources).core
    return core.graph.roots[0] in values_in_runs(core)


@pytest.fixture
def x():
    return dt.asarray(np.ones((6000, 400)))


def test_what_is_computed_where_sent_arrays_lie_is_in_runs(x):
    assert in_runs(x)
    assert in_runs(dt.exp(x).rechunk((500, 400)))


def test_other_values_are_not(x):
    assert not in_runs(x[::-1].rechunk((500, 400)))
    assert not in_runs((x + 1).rechunk((6000, 100)))
    assert not in_runs(dt.random.default_rng(0).random((6000, 400)))
    assert not in_runs(x + 1, ONE)


@pytest.mark.cluster
def test_persisted_values_lie_as_their_plan_said(x):
    options = {"processes": False, "n_workers": 2, "threads_per_worker": 1}
    with Client(**options, dashboard_address=":0"):
        kept = dt.exp(x).rechunk((500, 400)).persist()
        wait(kept)
        assert kept.node.operator.in_runs
        assert (kept * 2).rechunk((1000, 400)).plan().cost["bytes_moved"] == 0
        other = dt.random.default_rng(0).random((6000, 400)).rechunk((500, 400)).persist()
        wait(other)
        assert not other.node.operator.in_runs
