from types import SimpleNamespace

import pytest

import dask_tapestry as dt
from dask_tapestry.lower.dask_private import lifetime_of
from dask_tapestry.planner import walltime as module
from dask_tapestry.planner.tuning import WALLTIME_PART
from dask_tapestry.planner.walltime import task_seconds, walltime_in_force

X = dt.placeholder((10**5, 10**5), "f8", stored_chunks=(100, 100))
FOUR = dt.Resources(workers=4, threads=2, memory="64 GiB", rates="shipped")


def longest(plan):
    return max(map(task_seconds, plan.core.steps.values()))


def test_tasks_are_shorter_than_workers_live():
    usual = dt.plan(dt.sin(X).sum(axis=0), resources=FOUR)
    limit = longest(usual) / WALLTIME_PART / 3
    with dt.config(walltime=limit):
        short = dt.plan(dt.sin(X).sum(axis=0), resources=FOUR)
        assert longest(short) <= WALLTIME_PART * limit < longest(usual)
        short.verify()
    assert short.cost["tasks"] > usual.cost["tasks"]
    with dt.config(walltime="1 week"):
        assert (
            dt.plan(dt.sin(X).sum(axis=0), resources=FOUR).diff(usual) == "the plans are the same"
        )


def test_what_cannot_be_shorter_is_refused():
    line = dt.placeholder((100, 10**9), "f8", stored_chunks=(1, 10**6))
    absolute = dt.map_blocks(abs, line.rechunk((1, -1)), dtype="f8")
    roomy = dt.Resources(workers=4, threads=2, memory="400 GiB")
    with (
        dt.config(walltime="10 ms"),
        pytest.raises(dt.PlanError, match=r"tasks_end_in_time: a task of .* walltime of 0.01 s"),
    ):
        dt.plan(absolute, resources=roomy)


def test_clusters_say_how_long_their_workers_live(monkeypatch):
    def client(**options):
        return SimpleNamespace(cluster=SimpleNamespace(new_spec={"options": options}))

    extra = ["--nthreads", 2, "--lifetime", "54m", "--lifetime-stagger", "3m"]
    assert lifetime_of(client(worker_extra_args=extra, walltime="01:00:00")) == "54m"
    assert lifetime_of(client(walltime="01:00:00")) == "01:00:00"
    assert lifetime_of(client(lifetime="2 h")) == "2 h"
    assert lifetime_of(client()) is None
    assert lifetime_of(SimpleNamespace(cluster=None)) is None
    assert walltime_in_force() is None
    monkeypatch.setattr(module, "live_client", lambda: client(worker_extra_args=extra))
    assert walltime_in_force() == 54 * 60
    with dt.config(walltime="1-00:00:00"):
        assert walltime_in_force() == 24 * 3600
