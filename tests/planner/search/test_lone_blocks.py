"""Larger blocks, one at a time on a worker, where smaller ones would read stored chunks again."""

import zarr

import dask_tapestry as dt
from dask_tapestry.planner.search import search as searching
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.lone_blocks import with_lone_blocks
from tests.planner.graphs import FAST_STORES
from tests.planner.spaces import COSTS, network, space_of

CLUSTER = dt.Resources(50, 4, "16 GiB", rates=FAST_STORES)
WIND = (768, 37, 721, 1440)


def planned():
    named = None, ("time", "level", "y", "x")
    u, v = (dt.placeholder(WIND, "f4", (1, *WIND[1:]), dims) for dims in named)
    means = (dt.nanmean(x, axis=0) for x in (u * u, v * v, u * v))
    return dt.plan(*means, resources=CLUSTER)


def test_chunks_of_which_no_two_fit_are_read_once(monkeypatch):
    plan, stored = planned(), 2 * 768 * 37 * 721 * 1440 * 4
    assert plan.cost["bytes_read"] < 1.01 * stored
    assert plan.cost["peak_worker_bytes"] < CLUSTER.usable_bytes
    assert "one at a time on a worker" in plan.explain()
    monkeypatch.setattr(searching, "with_lone_blocks", lambda space, state, _costs: (space, state))
    before = planned()
    assert plan.cost["seconds"] < 0.8 * before.cost["seconds"]
    assert before.cost["bytes_read"] > 1.9 * stored


def test_lone_blocks_take_forms_that_smaller_ones_do_not(tmp_path):
    path, shape, chunk = str(tmp_path / "frames.zarr"), (56_000, 96, 80), (609, 96, 80)
    zarr.create_array(path, shape=shape, chunks=chunk, dtype="f4")
    small = dt.Resources(2, 2, "300 MB")  # of blocks of such chunks a worker holds one at a time
    plan = dt.plan(dt.from_zarr(path).mean(axis=0), resources=small)
    first, _ = plan.core.steps.values()
    assert first.machine.alone
    assert first.count > 1, "both workers compute"


def test_what_reads_nothing_again_stays():
    space = space_of(network(1))
    state = space.state(Choices())
    assert with_lone_blocks(space, state, COSTS) == (space, state)
