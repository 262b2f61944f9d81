import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client

import dask_tapestry as dt
from dask_tapestry.arrays.core.computing import computed
from dask_tapestry.lower import fetch as module

OPTIONS = {"processes": False, "dashboard_address": ":0", "n_workers": 1, "threads_per_worker": 1}


@pytest.fixture(scope="module")
def client():
    with Client(**OPTIONS) as client:
        yield client


@pytest.fixture
def fetched(client, monkeypatch):
    """How many arrays were fetched in each compute."""
    found = []
    fetch = module.fetch

    def counted(exprs, others, *options):
        found.append((len(exprs), len(others)))
        return fetch(exprs, others, *options)

    monkeypatch.setattr(module, "fetch", counted)
    return found


def test_which_results_are_fetched(fetched, client):
    x, theirs = dt.arange(5), da.ones(2, chunks=1)
    computed(x)
    computed([x, {"y": x + 1}], theirs)
    computed(dt.ma.masked_greater(x, 2))
    computed(x, scheduler="distributed", priority=2, optimize_graph=False)
    assert fetched == [(1, 0), (2, 1), (2, 0), (1, 0)]


def test_which_are_not(fetched, client):
    x, theirs = dt.arange(5), da.ones(2, chunks=1)
    for args, options in (
        ((theirs, 3), {}),
        ((3,), {}),
        (([x],), {"traverse": False}),
        ((x,), {"scheduler": "sync"}),
        ((x,), {"scheduler": dask.get}),
    ):
        with dask.config.set(scheduler=options.get("scheduler")):
            computed(*args, **options)
    assert not fetched


def test_values_are_put_where_collections_were(fetched, client):
    x = dt.arange(3)
    first, (again, other), masked, rest = computed(
        x, (x, x + 1), dt.ma.masked_greater(x, 1), da.zeros(2, chunks=1)
    )
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(other, [1, 2, 3])
    assert masked.tolist() == [0, 1, None]
    np.testing.assert_array_equal(rest, [0, 0])
    assert fetched == [(4, 1)]
