"""What takes most of a plan to read again goes through a store."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.exchanged_reads import with_reads_exchanged
from tests.planner.graphs import stored
from tests.planner.spaces import COSTS, space_of

SMALL = dt.Resources(2, 2, "300 MB")


def quantiles_of_a_group():
    """Of long columns that are stored in rows, where labels choose the rows."""
    n = 2_000_000
    x = dt.placeholder((n, 24), "f8", stored_chunks=(70_000, 24))
    labels = dt.placeholder((n,), "i4", stored_chunks=(118_000,))
    chosen = dt.where((labels % 4 == 0)[:, None], x, np.nan)
    return x, dt.nanquantile(chosen, [0.25, 0.5, 0.75], axis=0)


def test_long_columns_are_not_read_again_for_each_of_them():
    x, quantiles = quantiles_of_a_group()
    plan = dt.plan(quantiles, resources=SMALL)
    plan.verify()
    assert plan.cost["bytes_read"] < 6 * x.nbytes
    assert x.nbytes <= plan.cost["bytes_written"] < 2 * x.nbytes
    assert plan.cost["seconds"] < 3  # 10.5 s without the store


@pytest.mark.parametrize("job", [lambda x: x + 1, lambda x: x.sum(axis=0)])
def test_what_is_read_once_stays(job):
    space = space_of(job(stored()))
    state = space.state(Choices())
    assert with_reads_exchanged(space, state, COSTS) is state


def neighbours(u):
    return dt.roll(u, 1, 0) + dt.roll(u, -1, 0) + dt.roll(u, 1, 1) + dt.roll(u, -1, 1)


def fields(steps):
    """Two fields in chunks of which a task holds few, each changed by both and by neighbours."""
    shape, chunks = (20_000, 10_000), (2000, 2000)
    u, v = (dt.placeholder(shape, "f8", stored_chunks=chunks) for _ in range(2))
    for _ in range(steps):
        both = u * v * v
        u, v = u + 0.1 * neighbours(u) - both, v + 0.1 * neighbours(v) + both
    return u, v


def test_fields_that_are_read_again_together_go_through_a_store_together():
    """Each alone leaves the other's reading: that gains too little."""
    u, v = fields(2)
    plan = dt.plan(u, v, resources=dt.Resources(2, 2, "500 MiB"))
    plan.verify()
    assert plan.cost["bytes_written"] == u.nbytes + v.nbytes
    assert plan.cost["seconds"] < 25  # 39 s without the store, in rounds


def test_fields_of_a_loop_of_rolls_are_read_in_pieces_or_go_through_a_store():
    """Folds of three fields: 45 s where a few blocks at the ends lack memory for either."""
    shape, chunks = (20_000, 16_000), (2000, 2000)
    u, v, w = [dt.placeholder(shape, "f4", stored_chunks=chunks) for _ in range(3)]
    for _ in range(2):
        u, v, w = (
            u + 0.1 * (dt.roll(v, 1, 0) - dt.roll(v, -1, 0)),
            v + 0.1 * (dt.roll(w, 1, 1) - dt.roll(w, -1, 1)),
            w + 0.1 * (dt.roll(u, 1, 0) + dt.roll(u, 1, 1)),
        )
    folds = u.max(axis=0), v.mean(), w.std(axis=1)
    plan = dt.plan(*folds, resources=dt.Resources(2, 2, "500 MiB"))
    plan.verify()
    assert plan.cost["seconds"] < 20
