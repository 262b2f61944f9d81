"""Dask exports: graphs of arrays larger than memory, of which others take some chunks."""

import dask
import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.arrays.core.mixed_collections import planned_together

SIDE, CHUNK = 1000, 100
LIMIT = "256 MB"  # and the values take 8 GB


def drawn():
    return dt.random.default_rng(0).random((SIDE,) * 3, chunks=(CHUNK,) * 3)


def counted():
    return dt.arange(SIDE**3, dtype="f8").reshape((SIDE,) * 3).rechunk(CHUNK)


def stored():
    z = zarr.create_array({}, shape=(SIDE,) * 3, chunks=(CHUNK,) * 3, dtype="f8", fill_value=2.5)
    z[:CHUNK, CHUNK : 2 * CHUNK, :CHUNK] = np.full((CHUNK,) * 3, 7.0)
    return dt.from_zarr(z)


MADE = {
    "drawn": drawn,
    "stored": stored,
    "cells": lambda: drawn() * 2 + 1,
    "in chunks that were asked for": counted,
    "several that meet": lambda: drawn() + drawn().transpose((2, 1, 0)),
    "padded": lambda: dt.pad(drawn(), 3, mode="constant")[3:-3, 3:-3, 3:-3],
    "of a user's function": lambda: drawn().map_blocks(np.sqrt),
    "overlapping": lambda: dt.map_overlap(lambda b: b + 1, drawn(), depth=1, boundary="none"),
}
TAKEN = {
    "to_delayed": lambda x: x.to_delayed()[0, 1, 0].compute(scheduler="threads"),
    "to_dask_array": lambda x: x.to_dask_array()[:CHUNK, CHUNK : 2 * CHUNK, :CHUNK].compute(
        scheduler="threads"
    ),
    "dask": lambda x: dask.threaded.get(x.dask, (x.name, 0, 1, 0)),
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("taken", TAKEN)
def test_a_chunk_is_taken_of_what_no_worker_can_hold(made, taken):
    x = MADE[made]()
    with dt.config(memory_limit=LIMIT):
        found = TAKEN[taken](x)
        wanted = x[:CHUNK, CHUNK : 2 * CHUNK, :CHUNK].compute()
        np.testing.assert_array_equal(found, wanted)


def test_so_are_those_of_arrays_that_are_planned_together():
    x = drawn()
    y, z = x * 2, x + 1
    with dt.config(memory_limit=LIMIT):
        planned_together([y, z])
        assert y.dask.layers.keys() == z.dask.layers.keys()
        masked = dt.ma.masked_greater(x, 0.5)
        assert len(masked.__dask_graph__()) >= 2 * x.npartitions


@pytest.mark.parametrize("exported", [False, True])
def test_what_is_held_as_a_whole_is_refused_still(exported):
    xarray = pytest.importorskip("xarray")
    x = drawn()
    dims = ("t", "y", "x")
    one = xarray.Dataset({"a": (dims, x)})
    two = xarray.Dataset({"a": (dims, x), "b": (dims, x + 1)})
    with dt.xarray.use(), dt.config(memory_limit=LIMIT):
        if exported:
            assert one.__dask_graph__()
            assert two.__dask_graph__()
        for made in (x, one, two, dt.ma.masked_greater(x, 0.5)):
            with pytest.raises(dt.MemoryLimitError):
                made.persist()
            with pytest.raises(dt.MemoryLimitError):
                dask.compute(made)
            with pytest.raises(dt.MemoryLimitError):
                dask.delayed(np.sum)(made).compute()


def test_chunks_held_as_the_user_asked_are_taken_as_they_are():
    x = counted()
    assert sorted(name.rpartition("-")[0] for name in x.dask.layers) == ["rechunk"]
