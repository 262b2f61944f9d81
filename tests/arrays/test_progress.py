import io
import time

import numpy as np
import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.arrays import progress

CELLS = np.arange(400.0).reshape(20, 20)


def work():
    return (dt.asarray(CELLS).rechunk((5, 20)) + 1).sum(axis=0)


LINE = work.__code__.co_firstlineno + 1


def slowly(block):
    time.sleep(0.5)
    return block


def test_what_is_computed_here_shows_its_steps():
    log = io.StringIO()
    with dt.ProgressBar(log) as bar:
        np.testing.assert_array_equal(work().compute(), (CELLS + 1).sum(axis=0))
    assert f"sum · test_progress.py:{LINE}" in log.getvalue()
    assert bar.report["jobs"][0]["state"] == "done"
    assert "done" in repr(bar)
    assert "<svg" in bar._repr_html_()


def test_progress_is_of_clusters():
    with pytest.raises(dt.TapestryError, match="ProgressBar"):
        dt.progress(work())


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.mark.cluster
def test_on_a_cluster(client):
    log = io.StringIO()
    with dt.ProgressBar(log) as bar:
        work().compute()
    assert bar.report["jobs"][0]["steps"][-1]["words"] == "sum"
    assert f"sum · test_progress.py:{LINE}" in log.getvalue()


@pytest.mark.cluster
def test_futures_lists_and_persisted_arrays(client):
    future, held = client.compute(work()), work().persist()
    log = io.StringIO()
    assert dt.progress([future, held], file=log) is None
    assert log.getvalue().count("The job is done.") == 2
    shown = dt.progress(future, notebook=True)
    assert shown.done
    assert "sum" in repr(shown)
    assert "<svg" in shown._repr_html_()


@pytest.mark.cluster
def test_a_job_that_the_scheduler_has_not_met_yet_is_waited_for(client, monkeypatch):
    """As when it is still reading a graph: it tells of no job."""
    future = client.compute(dt.map_blocks(slowly, dt.arange(4.0), dtype="float64"))
    monkeypatch.setattr(progress, "jobs_of", lambda client: {"now": 0.0, "jobs": []})
    assert not progress.Watched(client, {future.key}).done
    future.result()
    assert progress.Watched(client, {future.key}).done
    assert progress.Watched(client, {"a key that nobody holds"}).done
