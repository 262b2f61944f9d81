import pytest

import dask_tapestry as dt
from dask_tapestry.diagnostics.local_jobs import LocalJobs
from dask_tapestry.diagnostics.tuning import JOBS_REMEMBERED


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_steps_are_counted(scheduler):
    with LocalJobs().counting() as jobs, dt.config(block_bytes=2**16):
        x = dt.arange(100_000.0)
        assert (x * 2).sum().compute(scheduler=scheduler) == 99_999 * 100_000
    (job,) = jobs.report()["jobs"]
    assert job["state"] == "done"
    for step in job["steps"]:
        told = step["measured"]
        assert told["done"] == told["tasks"] > 0
        assert told["open"] == told["running"] == 0
        assert told["bytes"] > 0


def test_a_job_that_fails():
    def wrong(block):
        raise ValueError("no")

    x = dt.ones(5).map_blocks(wrong, dtype="f8")
    with LocalJobs().counting() as jobs, pytest.raises(ValueError, match="no"):
        x.compute()
    assert jobs.report()["jobs"][0]["state"] == "failed"


def test_history_is_bounded_and_nothing_is_counted_outside():
    with LocalJobs().counting() as jobs:
        for number in range(JOBS_REMEMBERED + 3):
            (dt.ones(3) + number).compute()
    dt.ones(3).sum().compute()
    assert len(jobs.report()["jobs"]) == JOBS_REMEMBERED
    assert not jobs._steps
