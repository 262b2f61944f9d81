import numpy as np
import pytest
from distributed import Client, LocalCluster, wait

import dask_tapestry as dt
from dask_tapestry.diagnostics.profile import Profile, StepProfile
from dask_tapestry.diagnostics.tuning import JOBS_REMEMBERED

CELLS = np.arange(40_000.0).reshape(200, 200)


def work(added=1.0):
    return (dt.asarray(CELLS).rechunk((50, 200)) + added).sum(axis=0)


def done(profile):
    assert profile.state == "done"
    assert profile.seconds > 0
    assert profile.predicted_seconds > 0
    assert profile.predicted_peak > 0
    assert profile.title == "sum · test_profile.py:13"
    for step in profile.steps:
        assert step.done == step.tasks > 0
        assert 0 < step.seconds <= profile.seconds + 0.1
        assert step.thread_seconds > 0
        assert step.bytes > 0
        assert step.predicted_peak > 0
    last = profile.steps[-1]
    assert last.predicted_bytes == CELLS[0].nbytes
    return last


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
@pytest.mark.parametrize("run", ["compute", "persist"])
def test_a_run_here(run, scheduler):
    p = dt.plan(work(2.0))
    getattr(p, run)(scheduler=scheduler)
    assert done(p.profile()).bytes == CELLS[0].nbytes


def test_the_last_run_counts_and_others_of_the_same_arrays_in_a_progress_bar(capsys):
    x = work(3.0)
    p = dt.plan(x)
    with pytest.raises(dt.PlanError, match="no run of the plan is known in this process"):
        p.profile()
    with dt.ProgressBar():
        dt.compute(x)
        done(p.profile())
        p.compute()
    first = p.profile()
    p.compute()
    assert p.profile() is not first


def test_a_run_that_fails():
    def wrong(block):
        raise ValueError("no")

    p = dt.plan(dt.ones(5).map_blocks(wrong, dtype="f8"))
    with pytest.raises(ValueError, match="no"):
        p.compute()
    assert p.profile().state == "failed"
    assert "0 of 1" in repr(p.profile())


def test_nothing_to_run():
    held = dt.ones(5).persist()
    p = dt.plan(held)
    p.compute()
    with pytest.raises(dt.PlanError, match="no steps"):
        p.profile()


def test_few_runs_are_remembered():
    first = dt.plan(dt.ones(3) + 0.5)
    first.compute()
    first.profile()
    for number in range(JOBS_REMEMBERED):
        dt.plan(dt.ones(3) + number).compute()
    with pytest.raises(dt.PlanError, match="50"):
        first.profile()


def test_shapes_that_were_not_counted():
    x = dt.arange(10)
    p = dt.plan(x[x > 3])
    p.compute()
    assert p.profile().state == "done"


def test_a_write(tmp_path):
    p = dt.plan(dt.to_zarr(work(), str(tmp_path / "x.zarr"), compute=False))
    p.compute()
    assert p.profile().steps[-1].predicted_bytes == 0


def test_its_texts():
    step = StepProfile("<b> · a\x1bb.py:1", 3, 2, 1.5, 0.0, 3.0, 0.0, 2**20, 0, 0, 2**21)
    told = Profile("<b>", "failed", 2.0, 1.0, 0, 2**21, (step,))
    assert "&lt;b&gt; · a" in told._repr_html_()
    assert "<b>" not in told._repr_html_()
    head, names, row = repr(told).splitlines()
    assert head == "<b>: failed, 2 s; predicted 1 s, peak 2.00 MiB a worker"
    assert row.startswith("<b> · a?b.py:1  2 of 3    1.5 s          –")
    assert len(names) == len(row)


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.mark.cluster
def test_on_a_cluster(client):
    x = work(5.0)
    p = dt.plan(x)
    with pytest.raises(dt.PlanError, match="on this cluster"):
        p.profile()
    y = x.max()
    both = dt.plan(x, y)
    dt.compute(x, y)
    assert both.profile().state == "done"
    for run in (p.compute, x.compute):
        np.testing.assert_array_equal(run(), (CELLS + 5).sum(axis=0))
        done(p.profile())


@pytest.mark.cluster
def test_persisted_on_a_cluster(client):
    p = dt.plan(work(6.0))
    held = p.persist()
    assert p.profile().state in ("running", "done"), "at once"
    wait(held)
    assert done(p.profile()).done


@pytest.mark.cluster
def test_the_later_run_counts(client):
    p = dt.plan(work(7.0))
    p.compute()
    p.compute(scheduler="sync")
    here = p.profile()
    assert done(here).peak >= 0
    p.compute()
    assert p.profile().seconds != here.seconds


@pytest.mark.cluster
def test_it_outlives_the_cluster():
    p = dt.plan(work(9.0))
    options = {"processes": False, "n_workers": 1, "dashboard_address": ":0"}
    with Client(**options):
        p.compute()
        there = done(p.profile())
    assert done(p.profile()).bytes == there.bytes
