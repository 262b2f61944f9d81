"""Larger blocks, one at a time on a worker, where smaller ones would read stored chunks again."""

import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.lone_blocks import with_lone_blocks
from tests.planner.graphs import FAST_STORES
from tests.planner.spaces import COSTS, network, space_of

CLUSTER = dt.Resources(50, 4, "16 GiB", rates=FAST_STORES)
WIND = (768, 37, 721, 1440)


def test_chunks_of_which_no_two_fit_are_read_once():
    named = None, ("time", "level", "y", "x")
    u, v = (dt.placeholder(WIND, "f4", (1, *WIND[1:]), dims) for dims in named)
    means = (dt.nanmean(x, axis=0) for x in (u * u, v * v, u * v))
    plan, stored = dt.plan(*means, resources=CLUSTER), u.nbytes + v.nbytes
    assert plan.cost["bytes_read"] < 1.01 * stored
    assert plan.cost["peak_worker_bytes"] < CLUSTER.usable_bytes
    assert "one at a time on a worker" in plan.explain()
    assert plan.cost["seconds"] < 9  # 12.1 s where none is alone, and all is read twice


SMALL = dt.Resources(2, 2, "300 MB")


@pytest.fixture(params=[4000, 8000, 14_000, 56_000])
def frames(request, tmp_path):
    """Frames in encoded chunks, of which a worker's memory has no room for one a thread."""
    path, shape, chunk = str(tmp_path / "frames.zarr"), (request.param, 96, 80), (609, 96, 80)
    zarr.create_array(path, shape=shape, chunks=chunk, dtype="f4")
    return dt.from_zarr(path)


@pytest.mark.few(2)  # few and many
def test_means_of_chunks_that_hardly_fit_read_them_once_or_twice(frames):
    """Short jobs as well, and where the best start is a plan that does not fit."""
    plan = dt.plan(frames.mean(axis=0), resources=SMALL)
    plan.verify()
    assert plan.cost["bytes_read"] < 2.01 * frames.nbytes


@pytest.mark.parametrize("frames", [56_000], indirect=True)
def test_lone_blocks_take_forms_that_smaller_ones_do_not(frames):
    first, _ = dt.plan(frames.mean(axis=0), resources=SMALL).core.steps.values()
    assert first.machine.alone
    assert first.count > 1, "both workers compute"


def test_what_reads_nothing_again_stays():
    space = space_of(network(1))
    state = space.state(Choices())
    assert with_lone_blocks(space, state, COSTS) == (space, state)
