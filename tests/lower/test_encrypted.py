"""Everything that this library sends of itself goes through Dask's own connections."""

import json
import urllib.request

import numpy as np
import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt

pytestmark = pytest.mark.cluster

CELLS = np.arange(10_000.0).reshape(100, 100)


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, security=True, dashboard_address="127.0.0.1:0",
            processes=True,
        ) as cluster,
        Client(cluster) as made,
    ):  # fmt: skip
        yield made


def test_all_connections_are_encrypted(client):
    addresses = [client.scheduler.address, *client.scheduler_info(n_workers=-1)["workers"]]
    assert all(address.startswith("tls://") for address in addresses)


def test_computes_and_persists(client):
    x = dt.asarray(CELLS)
    np.testing.assert_array_equal((x @ x.T).compute(), CELLS @ CELLS.T)
    kept = (x + 1).persist()
    np.testing.assert_array_equal((kept * 2).sum(axis=0).compute(), ((CELLS + 1) * 2).sum(axis=0))


def test_writes_and_reads(client, tmp_path):
    dt.to_zarr(dt.asarray(CELLS) + 1, tmp_path / "x", chunks=(30, 40))
    np.testing.assert_array_equal(dt.from_zarr(tmp_path / "x").compute(), CELLS + 1)


def test_the_page_of_jobs(client):
    dt.ones((1000, 1000), chunks=(100, 1000)).sum(axis=0).compute()
    link = client.dashboard_link.replace("/status", "/tapestry")
    with urllib.request.urlopen(link, timeout=20) as found:
        assert found.status == 200
        assert b"Tapestry" in found.read()
    with urllib.request.urlopen(link.replace("/tapestry", "/tapestry.json"), timeout=20) as found:
        assert json.loads(found.read())["jobs"]


def test_the_cluster_is_measured_and_checked(client):
    report = dt.check_cluster(client)
    assert report is not None


def test_a_client_without_the_certificate_is_refused(client):
    address = client.scheduler.address.replace("tls://", "tcp://")
    with pytest.raises(OSError, match=r"Timed out|expected|closed"):
        Client(address, timeout="2s")
