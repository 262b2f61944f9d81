import os
import sys

import pytest
from distributed import Client, LocalCluster, Security

import dask_tapestry as dt
from dask_tapestry.arrays.jobs.host_facts import versions

module = sys.modules["dask_tapestry.arrays.jobs.check_cluster"]


@pytest.fixture(scope="module")
def client():
    """Two workers in processes of their own, spoken to by TLS alone."""
    options = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": "1 GiB"}
    security = Security.temporary()
    with (
        LocalCluster(**options, security=security, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        assert client.scheduler.address.startswith("tls://")
        yield client


@pytest.mark.cluster
def test_a_local_cluster_is_fit_and_is_asked_by_tls(client, tmp_path):
    report = dt.check_cluster(client, store=tmp_path)
    usual = [p for p in report.problems if not p.startswith(("threads", "memory", "scratch"))]
    assert not usual, report
    assert list(report.facts) == ["client", "scheduler", "worker 0", "worker 1"]
    assert not list(tmp_path.iterdir())


@pytest.mark.cluster
def test_a_job_runs_by_tls(client, tmp_path):
    x = dt.arange(1000, chunks=100)
    dt.to_zarr(x, tmp_path / "x.zarr")
    assert int(dt.from_zarr(tmp_path / "x.zarr").sum()) == 499_500


@pytest.mark.cluster
def test_versions_that_differ_are_found(client, monkeypatch):
    facts = module.host_facts() | {"versions": versions() | {"dask_tapestry": "0.0.1"}}
    monkeypatch.setattr(module, "host_facts", lambda: facts)
    monkeypatch.setattr(module, "_facts_of_scheduler", lambda client, problems: {})
    report = dt.check_cluster(client)
    (found,) = [p for p in report.problems if p.startswith("versions")]
    assert "dask_tapestry is 0.0.1 here and 0.1.0 at worker 0, worker 1" in found


@pytest.mark.cluster
def test_clocks_are_compared_with_the_clients(client, monkeypatch):
    assert all(abs(skew) < 0.5 for skew in module._skews(client).values())
    monkeypatch.setattr(module, "clock", os.getpid)  # no time at all
    assert not module._skews(client)


def test_without_workers_and_without_cluster():
    with Client(processes=False, n_workers=0, dashboard_address=":0") as client:
        report = dt.check_cluster(client, store="/nowhere")
        assert "workers: there are none" in report.problems[0]
    report = dt.check_cluster(client)
    assert "could not be looked at" in report.problems[-1]
    assert not report.ok
