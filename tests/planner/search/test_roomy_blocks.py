"""Of plans that take about as long, the one that leaves memory."""

import dask_tapestry as dt
from dask_tapestry.planner.search import search as searching
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.roomy_blocks import with_room
from tests.planner.spaces import network, space_of

CLUSTER = dt.Resources(64, 4, "16 GiB", bandwidth="1 GB/s")
GIB = 2**30


def softmax():
    x = dt.placeholder((50_000_000, 1000), "f4", (100_000, 1000))
    e = dt.exp(x - x.max(axis=1, keepdims=True))
    return dt.to_zarr(
        e / e.sum(axis=1, keepdims=True), "nowhere", chunks=(100_000, 1000), compute=False
    )


def planned(monkeypatch, job, resources, room=True):
    """The cost of a plan, made with or without room."""
    with monkeypatch.context() as patched:
        if not room:
            patched.setattr(searching, "with_room", lambda _space, state: state)
        return dt.plan(job(), resources=resources).cost


def test_blocks_that_take_much_are_cut_where_that_takes_hardly_longer(monkeypatch):
    roomy, fastest = (planned(monkeypatch, softmax, CLUSTER, room) for room in (True, False))
    assert roomy["peak_worker_bytes"] < 4.5 * GIB < 6 * GIB < fastest["peak_worker_bytes"]
    assert roomy["seconds"] <= 1.03 * fastest["seconds"]
    assert roomy["bytes_read"] == fastest["bytes_read"]


def test_a_plan_that_takes_little_stays():
    space = space_of(network(1))
    state = space.state(Choices())
    assert with_room(space, state) is state
