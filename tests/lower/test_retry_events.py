import pytest
from distributed import Client, LocalCluster

from dask_tapestry.io.stores.retries import forget_retries, note_retry, retries
from dask_tapestry.lower.retry_events import hear_retries_from


@pytest.mark.cluster
def test_what_workers_ask_again_is_counted_here():
    forget_retries()
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(processes=False, **options) as cluster, Client(cluster) as client:
        hear_retries_from(client)
        hear_retries_from(client)  # which listens once
        client.submit(note_retry, "a store", TimeoutError("slow")).result()
        assert retries()["a store"] == (1, "TimeoutError: slow")
    forget_retries()
