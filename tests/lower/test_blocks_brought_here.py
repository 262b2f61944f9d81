"""What a cluster keeps, and a scheduler of this process computes."""

import numpy as np
import pytest
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.io.sources.bytes_on_workers import blocks_there
from dask_tapestry.io.sources.dask_blocks_source import BlockSource
from dask_tapestry.lower.blocks_brought_here import brought_here
from dask_tapestry.teg.node import topological

CELLS = np.arange(24.0).reshape(6, 4)


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with Client(processes=False, **options) as client:
        yield client


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("scheduler", ["threads", "sync", "processes"])
def test_kept_blocks_come_to_a_scheduler_of_this_process(client, scheduler):
    kept = dt.asarray(CELLS, chunks=(2, 4)).persist()
    made = (kept + 1).sum(axis=0)
    np.testing.assert_array_equal(made.compute(scheduler=scheduler), (CELLS + 1).sum(axis=0))


@pytest.mark.parametrize("scheduler", ["threads", "sync"])
def test_so_do_values_whose_number_was_counted_on_the_cluster(client, scheduler):
    values, counts = dt.unique(dt.arange(20, chunks=5) // 3, return_counts=True)
    np.testing.assert_array_equal(counts[-2:].compute(scheduler=scheduler), [3, 2])
    np.testing.assert_array_equal(values.compute(scheduler=scheduler), np.arange(7))
    x = dt.asarray(CELLS, chunks=(2, 4))
    np.testing.assert_array_equal(x[x > 9].compute(scheduler=scheduler), CELLS[CELLS > 9])


def test_only_what_is_asked_for_comes(client):
    kept = dt.asarray(CELLS, chunks=(2, 4)).persist()
    (source,) = [
        n.operator for n in topological([kept.node]) if isinstance(n.operator, BlockSource)
    ]
    made = brought_here(source.key_name, source.graph)
    futures = blocks_there(source.key_name, source.graph)
    assert made.keys() == futures.keys()
    first = min(made)
    np.testing.assert_array_equal(made[first](), futures[first].result())
