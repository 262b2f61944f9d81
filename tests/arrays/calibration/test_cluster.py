import sys
from types import SimpleNamespace

import dask
import pytest
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.arrays.calibration.cluster import slowest_rates, worker_rates
from dask_tapestry.planner.machine.rates import shipped_rates
from dask_tapestry.planner.machine.resources import current

module = sys.modules["dask_tapestry.arrays.calibration.cluster"]
FAST = {"machine": "fast", "memory": 10.0, "row": 2.0, "operations": {"sort": 2.0, "map": 9.0}}
SLOW = {"machine": "slow", "memory": 20.0, "row": 1.0, "operations": {"sort": 1.0, "map": 8.0}}
STORES = {"store_read": 800.0, "store_plain_write": 200.0, "store_latency": 3.0}


def test_the_slowest_counts():
    joined = slowest_rates([SLOW, FAST])
    assert joined == {
        "machine": "fast, slow", "memory": 10, "row": 2, "operations": {"sort": 1, "map": 8},
    }  # fmt: skip


def test_a_worker_measures_memory_kernels_and_codecs(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "memory_rates", lambda: {"memory": 1234.0})
    monkeypatch.setattr(module, "kernel_rates", lambda budget: {"sort": 5678.0})
    places = []
    monkeypatch.setattr(module, "store_rates", lambda place: places.append(place) or STORES)
    with dask.config.set({"temporary-directory": str(tmp_path)}):
        found = worker_rates(4)
    assert places == [str(tmp_path)]
    assert (found["memory"], found["operations"]) == (1200, {"sort": 5700})
    assert (found["store_read"], found["store_plain_write"], found["threads"]) == (200, 50, 1)
    assert found["store_latency"] == 12, "of each of four threads"


def test_a_cluster_without_workers_is_refused():
    client = SimpleNamespace(scheduler_info=lambda n_workers: {"workers": {}})
    with pytest.raises(dt.PlanError, match="no workers to measure"):
        dt.calibrate(client)


@pytest.mark.cluster
def test_a_cluster_is_measured_and_planned_for(monkeypatch):
    monkeypatch.setattr(module, "memory_rates", lambda: {"memory": 1234.0})
    monkeypatch.setattr(module, "kernel_rates", lambda budget: {"sort": 5678.0})
    options = {"processes": False, "n_workers": 2, "threads_per_worker": 1}
    with Client(**options, dashboard_address=":0") as client, dt.config(rates="measured"):
        rates = dt.calibrate(client)
        assert rates.threads == 1
        assert 0 < rates.store_write < rates.store_read < 1e11
        assert (rates.memory, dict(rates.operations)["sort"]) == (1200, 5700)
        assert rates.scheduler_task != shipped_rates().scheduler_task
        assert current().rates is rates
