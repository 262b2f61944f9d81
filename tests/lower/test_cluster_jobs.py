import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.lower.cluster_jobs import jobs_of


@pytest.mark.cluster
def test_a_scheduler_that_has_met_no_job_tells_none():
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as c,
        Client(c) as client,
    ):
        assert jobs_of(client)["jobs"] == []
        dt.ones(4).sum().compute()
        assert len(jobs_of(client)["jobs"]) == 1
