import pytest
from distributed import Client, LocalCluster

from dask_tapestry.planner.machine.live_workers import (
    live_gpus,
    live_groups,
    live_workers_per_host,
)
from dask_tapestry.planner.machine.resources import workers_of


def test_workers_without_threads_are_none():
    known = {"workers": {"a": {"nthreads": 2, "memory_limit": 8}, "b": {"nthreads": 0}}}
    (group,) = live_groups(known)
    assert (group.workers, group.threads, group.memory) == (1, 2, 8)


def test_an_asynchronous_client_knows_totals():
    known = {"n_workers": 3, "total_threads": 6, "total_memory": 30}
    (group,) = live_groups(known)
    assert (group.workers, group.threads, group.memory) == (3, 2, 10)
    assert live_groups({}) == []


@pytest.mark.parametrize(
    ("workers", "found"),
    [
        ({}, {"gpus": 0, "gpu_workers": None}),
        ({"a": {"resources": {"GPU": 1}}, "b": {}}, {"gpus": 1, "gpu_workers": 1}),
        (
            {
                "a": {"resources": {"GPU": 1}, "gpu": {"name": "x", "memory-total": 80}},
                "b": {"resources": {"GPU": 2}, "gpu": {"name": "y", "memory-total": 40}},
                "c": {"gpu": {"memory-total": 1}},
            },
            {"gpus": 2, "gpu_workers": 2, "gpu_memory": 40},
        ),
        (
            {"a": {"resources": {"GPU": 1}, "gpu": {"memory-total": None}}},
            {"gpus": 1, "gpu_workers": 1},
        ),
    ],
)
def test_gpus_and_their_memory_are_what_workers_say(workers, found):
    assert live_gpus(workers) == found


@pytest.mark.parametrize(
    ("addresses", "each"),
    [
        ([], 1),
        (["tcp://a:1", "tcp://b:1"], 1),
        (["tcp://a:1", "tcp://a:2", "tcp://b:1", "tcp://b:2", "tls://c:1"], 2),
        (["ucx://10.0.0.1:1", "ucx://10.0.0.1:2", "tcp://[::1]:4"], 2),
        (["inproc://192.0.2.2/1/4", "inproc://192.0.2.2/1/5"], 2),
    ],
)
def test_hosts_are_those_of_addresses(addresses, each):
    assert live_workers_per_host(dict.fromkeys(addresses)) == each


def test_a_live_cluster_is_one_host_here():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0",
                     resources={"GPU": 1}) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        known = workers_of(client)
    assert (known.workers, known.workers_per_host, known.gpus) == (2, 2, 1)
