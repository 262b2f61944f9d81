"""Of plans that take about as long, the one that reads and moves less."""

import dask_tapestry as dt
from dask_tapestry.planner.search import one_space as searching
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.frugal_reads import with_frugal_reads
from tests.planner.graphs import FAST_STORES
from tests.planner.spaces import COSTS, network, space_of

CLUSTER = dt.Resources(64, 4, "16 GiB", bandwidth="1 GB/s", rates=FAST_STORES)


def embeddings():
    table = dt.placeholder((50_000, 512), "f4")
    tokens = dt.placeholder((100_000_000,), "i8", (1_000_000,))
    rows = dt.take(table, tokens, axis=0)
    return dt.to_zarr(rows, "nowhere", chunks=(100_000, 512), compute=False)


def planned(monkeypatch, frugal):
    """The cost of a plan, made with or without a look at what is carried."""
    with monkeypatch.context() as patched:
        if not frugal:
            patched.setattr(searching, "with_frugal_reads", lambda _space, state, _costs: state)
        return dt.plan(embeddings(), resources=CLUSTER).cost


def carried(cost):
    return cost["bytes_read"] + cost["bytes_moved"]


def test_a_table_is_handed_on_where_that_takes_hardly_longer(monkeypatch):
    frugal, fastest = (planned(monkeypatch, frugal) for frugal in (True, False))
    assert carried(frugal) < 0.6 * carried(fastest)
    assert frugal["seconds"] <= 1.06 * fastest["seconds"]  # a tie, and another with room
    most = max(1.03 * fastest["peak_worker_bytes"], CLUSTER.usable_bytes / 4)
    assert frugal["peak_worker_bytes"] <= most


def test_without_costs_or_what_carries_less_a_plan_stays():
    space = space_of(network(1))
    state = space.state(Choices())
    assert with_frugal_reads(space, state, 0) is state
    assert with_frugal_reads(space, state, COSTS) is state
