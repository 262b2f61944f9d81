"""Nominal chunks pass through operators as Dask's do, and know nothing of workers."""

from operator import itemgetter

import dask.array as da
import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.teg.nominal import nominal_chunks, nominal_cuts

SHAPE, CHUNKS = (12, 9, 5), ((5, 5, 2), (4, 4, 1), (5,))
CELLS = np.arange(540.0).reshape(SHAPE)

ALIKE = {
    "cells": lambda x: x * 2 + x,
    "cast": lambda x: x.astype("f4"),
    "transposed": lambda x: x.transpose(2, 0, 1),
    "sliced": lambda x: x[3:11, 1:, ::2],
    "stepped": lambda x: x[::5],
    "reversed": lambda x: x[::-1],
    "picked": lambda x: x[:, 4],
    "new axis": lambda x: x[:, None],
    "summed": lambda x: x.sum(axis=1),
    "kept": lambda x: x.mean(axis=0, keepdims=True),
    "scanned": lambda x: x.cumsum(axis=0),
    "multiplied": lambda x: x[:, :, 0] @ x[:, :, 0].T,
    "broadcast": lambda x: x + x[:, :1],
    "rows of another": lambda x: x + x[0],
    "shifted": lambda x: x[1:] - x[:-1],
    "clipped": lambda x: x.clip(2, 7),
    "flattened behind": lambda x: x.reshape(12, 45),
    "rechunked": lambda x: x.rechunk((3, -1, 2)) + 1,
}
BOTH = {
    "joined": lambda np_like, x: np_like.concatenate([x, x[:3]], axis=0),
    "stacked": lambda np_like, x: np_like.stack([x, x]),
    "chosen": lambda np_like, x: np_like.where(x > 3, x, 0),
    "tiled": lambda np_like, x: np_like.tile(x, (2, 1, 1)),
    "repeated": lambda np_like, x: np_like.repeat(x, 2, axis=1),
}


def without_empty(chunks):
    return tuple(tuple(n for n in lengths if n) for lengths in chunks)


@pytest.fixture
def pair():
    return dt.from_array(CELLS, chunks=CHUNKS), da.from_array(CELLS, chunks=CHUNKS)


@pytest.mark.parametrize("function", ALIKE.values(), ids=ALIKE)
def test_they_pass_as_dasks_do(pair, function):
    ours, dasks = map(function, pair)
    assert ours.chunks == without_empty(dasks.chunks)


@pytest.mark.parametrize("function", BOTH.values(), ids=BOTH)
def test_functions_of_several_arrays_pass_them_as_dasks_do(pair, function):
    ours, dasks = (function(lib, x) for lib, x in zip((dt, da), pair, strict=True))
    assert ours.chunks == without_empty(dasks.chunks)


@pytest.mark.parametrize(
    ("function", "chunks"),
    [
        (lambda x: x[x[:, 0, 0] > 100], ((5, 4), (4, 4, 1), (5,))),
        (lambda x: x[[8, 1, 1, 5, 3, 2]], ((5, 1), (4, 4, 1), (5,))),
        (lambda x: dt.sort(x, axis=0), CHUNKS),
        (lambda x: dt.pin(x + 1), CHUNKS),
        (lambda x: x.reshape(12, 3, 3, 5), ((5, 5, 2), (2, 1), (3,), (5,))),
        (lambda x: x.reshape(108, 5), ((45, 45, 18), (5,))),
        (lambda x: dt.interleave([x, x]), ((10, 10, 4), (4, 4, 1), (5,))),
        (lambda x: x + dt.from_array(CELLS), CHUNKS),
        (lambda x: dt.from_array(CELLS) + x, CHUNKS),
        (lambda x: x.persist() + 1, CHUNKS),
        (lambda x: dt.roll(x, (2, 1), axis=(0, 1)), CHUNKS),
        (lambda x: x.rename("a", "b", "c"), CHUNKS),
        (lambda x: x.map_blocks(np.negative), CHUNKS),
    ],
)
def test_they_pass_where_dask_has_no_like(pair, function, chunks):
    assert function(pair[0]).chunks == chunks


def test_assignment_keeps_them(pair):
    x = pair[0].copy()
    x[2:9, ::2] = 0
    x[[1, 2]] = 4
    assert x.chunks == CHUNKS


@pytest.mark.parametrize("workers", [1, 3, 64])
def test_they_know_nothing_of_workers(tmp_path, workers):
    zarr.create_array(tmp_path / "x", shape=(40, 30), chunks=(16, 30), dtype="f8")
    with dt.config(resources=dt.Resources(workers=workers, threads=2, memory="1 GiB")):
        x = dt.from_zarr(tmp_path / "x")
        assert x.chunks == ((16, 16, 8), (30,))
        assert dt.ones((10_000, 1000)).chunks == ((2000,) * 5, (1000,))
        assert (x + 1).mean(axis=1).numblocks == (3,)


def test_a_canonical_grid_is_one_of_shape_dtype_and_block_bytes():
    assert dt.ones((10_000, 1000)).chunksize == (2000, 1000)
    assert dt.ones((10_000, 1000), dtype="i1").chunksize == (10_000, 1000)
    with dt.config(block_bytes=64):
        assert dt.ones((3, 8)).chunks == ((1, 1, 1), (4, 4))
    assert dt.ones((3, 8)).chunks == ((3,), (8,))


def test_a_plan_is_free_to_cut_otherwise():
    x = dt.ones((1000, 1000), chunks=(10, 10))
    assert x.numblocks == (100, 100)
    assert dt.plan(x + 1).cost["tasks"] < 20
    assert "chunked" not in str(dt.plan(x).core.graph)


def test_without_cells_and_dimensions():
    assert dt.ones((0, 4)).chunks == ((0,), (4,))
    assert dt.ones((4, 0), chunks=(2, 1)).sum(axis=1).chunks == ((2, 2),)
    assert dt.ones(()).chunks == ()
    assert dt.ones((4, 0)).T.chunks == ((0,), (4,))


def test_large_tensors_stay_symbolic():
    x = dt.placeholder((10**12, 256), "u1", stored_chunks=(64, 256))
    cuts = nominal_cuts((x + 1)[5:, ::-2].mean(axis=1).node)
    assert [(c.count, c.lead, c.step) for c in cuts] == [(15_625_000_000, 59, 64)]


def test_long_chains_are_walked_without_recursion():
    x = dt.ones(8, chunks=3)
    for _ in range(3000):
        x = x + 1
    assert x.chunks == ((3, 3, 2),)


def test_what_somebody_said_is_told_apart(pair):
    chunks = nominal_chunks(dt.broadcast_to(pair[0][0], (7, 9, 5)).node)
    assert list(map(itemgetter(1), chunks)) == [False, True, True]


WIDE, THIN = (200_000, 30_000), (200_000, 3)


@pytest.mark.parametrize(
    "function",
    [
        lambda: dt.pad(dt.ones(WIDE), 3),
        lambda: dt.concatenate([dt.ones(THIN), dt.ones(WIDE)], axis=1),
        lambda: dt.block([[dt.ones(THIN), dt.ones(WIDE)]] * 2),
        lambda: dt.diff(dt.ones(WIDE), axis=1, prepend=0),
        lambda: dt.ones((200_000, 10)) @ dt.ones((10, 30_000)),
        lambda: dt.ones((10**5, 1)) + dt.ones((1, 10**5)),
    ],
)
def test_chunks_that_nobody_has_said_stay_small(function):
    x = function()
    assert np.prod([c.longest for c in nominal_cuts(x.node)]) * 8 <= 16 * 2**20


def test_a_cast_keeps_canonical_chunks():
    x = dt.ones((10_000, 10_000), dtype="u1")
    assert x.astype("f8").chunks == x.chunks


def test_arrays_like_another_have_its_chunks(pair):
    for like in (dt.ones_like, dt.zeros_like, dt.empty_like, lambda x: dt.full_like(x, 2)):
        assert like(pair[0]).chunks == CHUNKS
    assert dt.ones_like(pair[0], shape=(3, 4)).chunks == ((3,), (4,))
    assert dt.ones_like(pair[0], chunks=-1).numblocks == (1, 1, 1)
