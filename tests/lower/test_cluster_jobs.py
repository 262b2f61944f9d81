from types import SimpleNamespace

import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.lower import cluster_jobs as module
from dask_tapestry.lower.cluster_jobs import job_of, jobs_of, sent


@pytest.mark.cluster
def test_a_scheduler_that_has_met_no_job_tells_none():
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as c,
        Client(c) as client,
    ):
        assert jobs_of(client)["jobs"] == []
        dt.ones(4).sum().compute()
        assert len(jobs_of(client)["jobs"]) == 1


def test_a_job_that_was_just_sent_is_waited_for(monkeypatch):
    """`persist` returns before its graph has come to the scheduler."""
    answers = iter([[], [], ["it"]])
    monkeypatch.setattr(module, "jobs_of", lambda client, plan: {"jobs": next(answers)})
    client = SimpleNamespace(id="a")
    assert job_of(client, "5f") is None
    sent(client, {"plan": "5f"})
    assert job_of(client, "5f") == "it"
    monkeypatch.setattr(module, "jobs_of", lambda client, plan: {"jobs": []})
    monkeypatch.setattr(module, "JOB_PATIENCE_SECONDS", 0.1)
    assert job_of(client, "5f") is None
    assert job_of(client, "other") is None
