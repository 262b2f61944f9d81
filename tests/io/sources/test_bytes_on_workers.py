import gc

import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.sources.bytes_on_workers import are_gone, bytes_on_workers
from dask_tapestry.io.sources.dask_blocks_source import BlockSource

CELLS = 1000


@pytest.fixture(scope="module")
def client():
    from distributed import Client

    with Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0") as c:
        yield c


def held(client, but=()):
    gc.collect()
    return bytes_on_workers(client, but)


@pytest.mark.cluster
def test_blocks_count_for_as_long_as_somebody_holds_them(client):
    before = held(client)
    x = (dt.ones(CELLS, chunks=100) + 1).persist()
    y = x + 1  # reads the blocks
    assert held(client) - before == x.nbytes
    (source,) = [n.operator for n in x.teg.nodes if isinstance(n.operator, BlockSource)]
    assert held(client, [source.key_name]) == before
    del x, source
    assert held(client) - before == y.nbytes
    del y
    assert held(client) == before


@pytest.mark.cluster
def test_arrays_of_dask_count_too(client):
    before = held(client)
    x = dt.asarray(da.ones(CELLS, chunks=100).persist())
    assert held(client) - before == x.nbytes


@pytest.mark.cluster
def test_what_is_not_computed_is_not_held(client):
    before = held(client)
    lazy = dt.asarray(da.ones(CELLS, chunks=100)) + 1
    known = dt.asarray(np.ones(CELLS)) + lazy
    assert held(client) == before
    del known


@pytest.mark.cluster
def test_another_cluster_holds_none_of_it(client):
    x = dt.ones(CELLS, chunks=100).persist()
    assert bytes_on_workers(object()) == 0
    del x


@pytest.mark.cluster
def test_values_that_no_cluster_has_are_gone(client):
    x = (dt.ones(CELLS, chunks=100) + 3).persist()
    (source,) = [n.operator for n in x.teg.nodes if isinstance(n.operator, BlockSource)]
    assert not are_gone(source.key_name, source.graph)
    next(iter(source.graph.values())).cancel()
    assert are_gone(source.key_name, source.graph)
    assert not are_gone("others", {("others", 0): np.ones(3)})
