"""Shapes that depend on data, on distributed workers and from asynchronous code."""

import asyncio

import numpy as np
import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt
from tests.comparisons import same_bits

pytestmark = pytest.mark.cluster
CELLS = np.arange(20_000).reshape(40, 500) * 7 % 1001


def test_masks_places_and_sets_on_workers():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        x = dt.asarray(CELLS).rechunk((11, 130))
        picked = x[x % 3 == 0]
        assert picked.shape == ((CELLS % 3 == 0).sum(),)
        assert same_bits(picked.compute(), CELLS[CELLS % 3 == 0])
        assert same_bits(dt.unique(x).compute(), np.unique(CELLS))
        order = np.argsort(CELLS[0], kind="stable")
        assert same_bits(x[:, dt.argsort(x[0])].compute(), CELLS[:, order])
        x[x % 5 == 1] = -1
        expected = np.where(CELLS % 5 == 1, -1, CELLS)
        assert same_bits(x.compute(), expected)


def test_asynchronous_code_awaits_its_shapes():
    async def code():
        async with (
            LocalCluster(
                n_workers=1, processes=False, dashboard_address=":0", asynchronous=True
            ) as cluster,
            Client(cluster, asynchronous=True) as client,
        ):
            x = dt.asarray(CELLS) + 1
            picked = x[x % 4 == 0]
            with pytest.raises(dt.PlanError, match="await"):
                _ = picked.shape
            await dt.resolve_shapes(picked)
            assert picked.shape == (((CELLS + 1) % 4 == 0).sum(),)
            return await client.compute(picked)

    assert same_bits(asyncio.run(code()), (CELLS + 1)[(CELLS + 1) % 4 == 0])


def test_without_workers_there_is_an_error_and_no_hang():
    with LocalCluster(n_workers=0, dashboard_address=":0") as cluster, Client(cluster):
        x = dt.asarray(CELLS)
        picked = x[x > 3]
        with pytest.raises(dt.PlanError, match="no workers"):
            _ = picked.shape
