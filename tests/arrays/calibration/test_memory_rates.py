import sys

from dask_tapestry.arrays.calibration.memory_rates import best, memory_rates

module = sys.modules["dask_tapestry.arrays.calibration.memory_rates"]


def test_memory_has_rates(monkeypatch):
    monkeypatch.setattr(module, "COPIED_BYTES", 2**22)
    monkeypatch.setattr(module, "COPIED_BYTES_A_THREAD", 2**16)
    rates = memory_rates()
    assert rates.keys() == {"memory", "memory_shared", "fresh", "fresh_pages"}
    assert 0 < rates["memory_shared"] <= rates["memory"]
    assert rates["fresh"] > 0 < rates["fresh_pages"]


def test_the_best_run_counts():
    calls = []
    assert best(lambda: calls.append(1)) >= 0
    assert len(calls) == module.COPY_REPEATS
