import asyncio

import distributed
import pytest

import dask_tapestry as dt
from dask_tapestry.command.stand_ins import StandInFuture, resources_of, standing_in


class StopError(BaseException):
    pass


def test_clients_and_clusters_are_not_started_and_come_back():
    own = distributed.Client, distributed.LocalCluster, distributed.wait
    with standing_in(StopError), dt.config(resources=None):
        client = distributed.Client(distributed.LocalCluster(n_workers=3))
        assert "not started" in repr(client)
        client.scale(2)
        client.register_plugin(None)
        assert client.gather([StandInFuture(None), {"a": StandInFuture(1)}]) == [None, {"a": 1}]
        with pytest.raises(StopError, match=r"Client\.submit"):
            client.submit(len, ())
        with pytest.raises(StopError, match="asynchronous"):
            distributed.Client(asynchronous=True)
    assert (distributed.Client, distributed.LocalCluster, distributed.wait) == own
    assert asyncio.iscoroutinefunction(own[0]._run)


@pytest.mark.parametrize(
    ("options", "workers", "text"),
    [
        ({"cores": 8, "memory": "64 GiB"}, 3, "3 workers, 8 threads each, 64.00 GiB each"),
        ({"cores": 8, "processes": 4, "memory": "64 GiB"}, 4, "2 threads each, 16.00 GiB each"),
        ({"threads_per_worker": 1, "memory_limit": 2**30}, 2, "2 workers, 1 thread each, 1.00 GiB"),
    ],
)
def test_what_a_cluster_would_have(options, workers, text):
    found = str(resources_of(options, workers))
    assert all(part.strip() in found for part in text.replace(" each", "").split(","))
