"""Works of xarray planned at their true size."""

import dask_tapestry as dt
from benchmarks.workloads import true_size


def test_a_work_is_planned_and_nothing_computed():
    dt.xarray.use()
    told = true_size.row("global mean", dt.Resources(**true_size.MACHINES))
    name, _, read, moved, peak, _ = told.rsplit(maxsplit=5)
    assert name.startswith("global mean")
    assert 60 < float(read) < 62, "the temperature alone, once"
    assert float(moved) < 1
    assert float(peak) < 16


def test_what_is_not_planned_in_time_is_told(monkeypatch):
    dt.xarray.use()
    monkeypatch.setattr(true_size, "LATEST", 1e-3)
    told = true_size.row("global mean", dt.Resources(**true_size.MACHINES))
    assert "PlanningStopped" in told
