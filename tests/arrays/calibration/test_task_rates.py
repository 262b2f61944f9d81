import sys

from dask_tapestry.arrays.calibration.task_rates import least, task_rates
from dask_tapestry.planner.machine.resources import this_machine

module = sys.modules["dask_tapestry.arrays.calibration.task_rates"]


def test_tasks_and_edges_take_time(monkeypatch):
    monkeypatch.setattr(module, "TIMED_TASKS", 40)
    monkeypatch.setattr(module, "BLOCKS_READ", 20)
    rates = task_rates(this_machine())
    assert rates.keys() == {"task", "edge", "slice"}
    assert 0 < rates["task"] < 0.1
    assert rates["slice"] > rates["edge"] > 0


def test_the_first_run_does_not_count():
    calls = []
    assert least(lambda: calls.append(1), 2) >= 0
    assert len(calls) == 3
