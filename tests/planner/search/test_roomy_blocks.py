"""Of plans that take about as long, the one that leaves memory."""

import dask_tapestry as dt
from dask_tapestry.planner.search import one_space as searching
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.roomy_blocks import with_room
from tests.planner.graphs import stored
from tests.planner.spaces import COSTS, network, space_of

CLUSTER = dt.Resources(64, 4, "16 GiB", bandwidth="1 GB/s")
HERE = dt.Resources(1, 2, "24 GiB", local=True, rates={"store_read": 5e8})
GIB, MIB = 2**30, 2**20


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
            patched.setattr(searching, "with_room", lambda _space, state, _costs: state)
        return dt.plan(job(), resources=resources).cost


def test_blocks_that_take_much_are_cut_where_that_takes_hardly_longer(monkeypatch):
    roomy, fastest = (planned(monkeypatch, softmax, CLUSTER, room) for room in (True, False))
    assert roomy["peak_worker_bytes"] < 4.5 * GIB < 6 * GIB < fastest["peak_worker_bytes"]
    assert roomy["seconds"] <= 1.03 * fastest["seconds"]
    assert roomy["bytes_read"] == fastest["bytes_read"]


def test_a_plan_that_takes_little_stays():
    space = space_of(network(1))
    state = space.state(Choices())
    assert with_room(space, state, COSTS) is state


def medians():
    """Medians of rows that other chunks hold than the stored ones."""
    x = stored((3536, 3536), "f8", (707, 707))
    return dt.median(x.rechunk((200, -1)), axis=1)


def test_of_this_process_blocks_are_smaller_though_they_fit_by_far(monkeypatch):
    roomy, fastest = (
        dt.plan(medians(), resources=HERE) if room else _fastest(monkeypatch, medians)
        for room in (True, False)
    )
    largest = [
        max(step.needs.work for step in plan.core.steps.values()) for plan in (roomy, fastest)
    ]
    assert largest[0] < 0.5 * largest[1]
    assert roomy.cost["peak_worker_bytes"] <= fastest.cost["peak_worker_bytes"]
    assert roomy.cost["seconds"] <= 1.03 * fastest.cost["seconds"]


def _fastest(monkeypatch, job):
    with monkeypatch.context() as patched:
        patched.setattr(searching, "with_room", lambda _space, state, _costs: state)
        return dt.plan(job(), resources=HERE)


def test_of_few_bytes_in_this_process_nothing_is_spared():
    space = space_of(stored((1000, 1000), "f4", (500, 500)).std(), resources=HERE)
    state = space.state(Choices())
    assert with_room(space, state, COSTS) is state


def test_no_blocks_are_looked_at_without_costs():
    x = stored((3536, 3536), "f8", (707, 707))
    space = space_of(dt.sort(x, axis=1).std(axis=0), resources=HERE)
    state = space.state(Choices())
    assert with_room(space, state, 0) is state
    assert with_room(space, state, COSTS) is not state


def test_blocks_of_large_results_stay():
    x = stored((3536, 3536), "f8", (707, 707))
    space = space_of(dt.exp(x), resources=HERE)
    state = space.state(Choices())
    assert with_room(space, state, COSTS) is state
