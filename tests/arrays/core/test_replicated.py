"""Persisting with replicas; what becomes of them: tests/scheduler/test_replicas.py."""

import pytest
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.planner import build, verify
from dask_tapestry.planner.memory.results import copied_bytes


def test_without_a_cluster():
    with pytest.raises(dt.PlanError, match="they need a Dask client"):
        dt.persist(dt.ones(3), replicas=2)


def test_one_replica_is_what_persist_does():
    assert float(dt.ones(3).persist(replicas=1).sum().compute()) == 3


def test_more_than_there_are_workers():
    options = {"processes": False, "n_workers": 1, "dashboard_address": ":0"}
    with Client(**options), pytest.raises(dt.PlanError, match="2 replicas need that many workers"):
        dt.ones(3).persist(replicas=2)


def test_copies_are_counted():
    x = (dt.zeros((400, 10**6), dtype="int8") + 1).rechunk((10, 10**6))
    plan = build.build_plan([x.node], dt.Resources(workers=4, threads=1, memory="1 GB"))
    once = copied_bytes(plan, 2)
    assert 1e8 <= once <= 2e8
    assert copied_bytes(plan, 1) == 0
    assert copied_bytes(plan, 3) == pytest.approx(2 * once, abs=1)
    assert copied_bytes(plan, 100) == x.nbytes  # a worker holds no block twice
    verify.replicas_fit(plan, 4)
    small = build.build_plan([x.node], dt.Resources(workers=4, threads=1, memory="400 MB"))
    verify.replicas_fit(small, 1)
    with pytest.raises(dt.MemoryLimitError, match="4 copies of the results need"):
        verify.replicas_fit(small, 4)
