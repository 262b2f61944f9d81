"""The works that users write: each is named with its source, and dask's values come out."""

import sys
from argparse import Namespace

import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from benchmarks.workloads import data, run
from benchmarks.workloads.workload import WORKLOADS, Session, cells

SMALL = 0.002
FEW = ("sum of residuals", "largest", "projections", "regression", "power iteration")


def of(xp, folder):
    def load(name):
        return xp.from_zarr(str(data.create(folder, name, SMALL)))

    return Session(xp, load, None, str(folder / f"{xp.__name__}.zarr"))


def test_works_name_their_sources_and_stores():
    assert len(WORKLOADS) >= 40
    for name, work in WORKLOADS.items():
        assert work.source, name
        assert set(work.data) <= set(data.STORES), name


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("name", FEW)
def test_both_libraries_have_the_same_values(name, tmp_path):
    theirs, ours = (cells(WORKLOADS[name].run(of(xp, tmp_path))) for xp in (da, dt))
    for one, other in zip(theirs, ours, strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-4)


@pytest.mark.exhaustive  # values are compared above
def test_a_row_is_measured_and_compared(tmp_path):
    options = Namespace(on="threads", folder=tmp_path, repeats=1, scale=SMALL, latest=60.0)
    rows = [run.measure(name, "projections", options) for name in ("dask.array", "dask_tapestry")]
    ratios = run.compared(rows, tmp_path)
    assert ratios["same"]
    assert "OTHER" not in run.line(rows, ratios)
    assert [row["failed"] for row in rows] == ["", ""]
    assert sys.modules["xarray"]


def test_other_values_are_told(tmp_path):
    for name, value in (("dask.array", 1.0), ("dask_tapestry", 2.0)):
        np.savez(tmp_path / f"{name} largest.npz", np.full(3, value))
    assert not run.same_values("largest", tmp_path)


def test_what_is_worse_than_dask_is_named():
    def result(work, best, peak, same=True, failed=""):
        rows = [{"work": work, "failed": failed}, {"work": work, "failed": ""}]
        return {"rows": rows, "best": best, "cpu": best, "peak": peak, "same": same}

    results = [
        result("largest", 1.2, 0.5),
        result("heat", 0.1, 1.5, same=False),
        result("trend", None, None, same=False, failed="ValueError: no"),
    ]
    assert list(run.named(results)) == [
        "slower: largest",
        "more of processors: largest",
        "more memory: heat",
        "other values: heat",
        "not ended by dask.array: trend (ValueError: no)",
        "not ended by dask_tapestry: none",
    ]
