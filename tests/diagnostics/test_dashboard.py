"""The page and its data over HTTP, of a scheduler that runs."""

import json
from urllib.request import urlopen

import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt

pytestmark = pytest.mark.cluster


@pytest.fixture(scope="module")
def url():
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        dt.ones((40, 40)).sum().compute()
        yield client.dashboard_link.removesuffix("/status")


def fetched(url):
    with urlopen(url, timeout=20) as answer:
        return answer.read().decode()


def test_the_data(url):
    found = json.loads(fetched(f"{url}/tapestry.json"))
    assert found["jobs"][0]["steps"]
    assert found["threads"] == 1


def test_the_page(url):
    assert "<title>Dask: Tapestry</title>" in fetched(f"{url}/tapestry")


def test_dasks_own_pages_stay(url):
    assert "individual-task-stream" in fetched(f"{url}/individual-plots.json")
