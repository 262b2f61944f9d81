import sys

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.machine import calibrate as kept
from dask_tapestry.planner.machine.calibrate import rates_in_force
from dask_tapestry.planner.machine.rates import shipped_rates

module = sys.modules["dask_tapestry.arrays.calibration.calibrate"]


@pytest.fixture
def measured(tmp_path, monkeypatch):
    """What is measured, at once; kept in a directory of its own."""
    monkeypatch.setenv("DASK_TAPESTRY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "_measured", {})
    monkeypatch.setattr(module, "memory_rates", lambda: {"memory": 12345.678})
    monkeypatch.setattr(module, "store_rates", lambda: {"store_read": 5.0})
    monkeypatch.setattr(module, "task_rates", lambda resources: {"task": 1e-3})
    monkeypatch.setattr(module, "kernel_rates", lambda budget: {"sort": 7.0})
    monkeypatch.setattr(module, "processors_got", lambda: 0.99)


def test_what_is_measured_is_kept_and_in_force(measured):
    with dt.config(rates="measured"):
        rates = dt.calibrate()
        assert rates_in_force() is rates
    assert (rates.memory, rates.store_read, rates.local_task) == (12000, 5, 1e-3)
    assert dict(rates.operations)["sort"] == 7
    assert rates.network == shipped_rates().network


def test_a_setting_goes_before_what_is_measured(measured):
    with dt.config(rates="shipped"):
        dt.calibrate()
        assert rates_in_force() is shipped_rates()


@pytest.mark.parametrize("shares", [(0.6, 0.98), (0.98, 0.6)])
def test_what_is_measured_beside_other_work_is_not_kept(measured, monkeypatch, shares):
    got = iter(shares)
    monkeypatch.setattr(module, "processors_got", lambda: next(got))
    with dt.config(rates="measured"):
        with pytest.warns(RuntimeWarning, match="only 60% of the processors"):
            rates = dt.calibrate()
        assert rates.store_read == 5
        assert rates_in_force() is shipped_rates()
    assert kept.measured_rates() is None


@pytest.mark.slow
def test_it_measures_this_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("DASK_TAPESTRY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "_measured", {})
    monkeypatch.setattr(module, "processors_got", lambda: 1.0)
    rates = dt.calibrate()
    assert rates.memory > 1e8
    assert dict(rates.operations)["matmul float64"] > dict(rates.operations)["matmul"]
