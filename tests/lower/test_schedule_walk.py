"""Blocks whose loops have loops for pieces: the bits of whole blocks, in all the ways they nest."""

from contextlib import contextmanager
from random import Random

import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.lower import schedule_walk, tiling
from dask_tapestry.lower.tile_run import TileRun
from dask_tapestry_kernels import compilation
from dask_tapestry_kernels.cpu.cells import compiled_tiles
from tests.comparisons import same_bits
from tests.examples import examples
from tests.pieces import pieces_of

ALONE = dt.Resources(threads=1, memory="4 GiB")


def smooth(random, x):
    return (x[:-2] + x[2:]) * 0.5 - x[1:-1] if x.shape[0] > 4 else x


STEPS = {
    "formula": lambda random, x: dt.sqrt(abs(x) + 1) * 2,
    "stencil": smooth,
    "stencils": lambda random, x: smooth(random, smooth(random, x)),
    "across": lambda random, x: x[:, 1:] - x[:, :-1] * 2 if x.shape[1] > 4 else x,
    "running": lambda random, x: dt.cumsum(x, axis=random.randrange(2)),
    "running back": lambda random, x: dt.cumsum(x[::-1], axis=random.randrange(2))[::-1],
    "transposed": lambda random, x: x.T,
    "strided": lambda random, x: x[::2, :: random.choice([1, 3])],
    "joined": lambda random, x: dt.concatenate([x, x * 2], axis=random.randrange(2))[:200, :200],
    "with itself": lambda random, x: x + x[::-1, ::-1],
    "centred": lambda random, x: x - x.mean(axis=random.randrange(2), keepdims=True),
}
AROUND = {
    "rolled": lambda random, x: x * dt.roll(x, random.choice([1, -3, 40]), random.randrange(2)),
    "around": lambda random, x: sum(dt.roll(x, n, axis) for n in (1, -1) for axis in (0, 1)) - x,
    "padded": lambda random, x: dt.pad(x, 1, mode=random.choice(["wrap", "edge"]))[2:, 1:-1] + x,
}
ENDS = {
    "cells": lambda random, x: x,
    "sum": lambda random, x: x.sum(axis=random.choice([None, 0, 1])),
    "std": lambda random, x: x.std(axis=random.choice([None, 0, 1])),
    "max": lambda random, x: x.max(axis=random.choice([None, 0, 1])),
    "median": lambda random, x: dt.median(x, axis=random.randrange(2)),
    "product": lambda random, x: x.T @ x,
    "symmetric": lambda random, x: x @ x.T + 1,
    "table": lambda random, x: dt.histogram(x, 7, (-2, 2))[0],
}


def drawn(random, steps):
    """An array of up to four steps and an end, of what is stored in odd chunks or in memory."""
    data = np.random.default_rng(random.randrange(9))
    x = data.random((random.randint(20, 150), random.randint(20, 110)))
    if random.random() < 0.7:
        store, chunks = zarr.storage.MemoryStore(), (random.randint(3, 40), random.randint(3, 40))
        x = dt.from_zarr(zarr.create_array(store, data=x, chunks=chunks))
    array = dt.asarray(x)
    for _ in range(random.randint(0, 4)):
        array = random.choice(list(steps.values()))(random, array)
    end = random.choice(list(ENDS))
    return end, ENDS[end](random, array)


def check(seed, steps):
    """In pieces of some size a drawn array has the bits of the whole."""
    random = Random(seed)
    with dt.config(resources=ALONE), compilation.mode("off"):
        end, array = drawn(random, steps)
        whole = array.compute(scheduler="sync")
        with pieces_of(2 ** random.randint(7, 15), always=random.random() < 0.6):
            pieces = array.compute(scheduler="sync")
    if end in ("product", "symmetric"):  # BLAS sums in orders of its own
        np.testing.assert_allclose(pieces, whole)
    else:
        assert same_bits(pieces, whole), seed


@examples(60, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6))
def test_pieces_of_pieces_have_the_bits_of_the_whole(seed):
    check(seed, STEPS | AROUND)


def kind_of(run):
    if isinstance(run, TileRun):
        return "tiles"
    loop = run._entry.loop
    kinds = {"windows": loop.windows, "carried": loop.carried, "then": loop.then, "adds": loop.adds}
    return "+".join([kind for kind, here in kinds.items() if here]) or "pieces"


@contextmanager
def recorded_nestings():
    """The kinds of loops that run, each behind those around it."""
    seen, around = set(), []

    def recorded(begun):
        frames = begun.frames

        def within():
            around.append(kind_of(begun))
            seen.add(tuple(around))
            try:
                yield from frames()
            finally:
                around.pop()

        begun.frames = within
        return begun

    with pytest.MonkeyPatch.context() as patch:
        begun = schedule_walk._begun
        patch.setattr(schedule_walk, "_begun", lambda *args: recorded(begun(*args)))
        yield seen


NESTED = {
    ("pieces", "pieces", "adds"),
    ("pieces", "pieces", "pieces"),
    ("pieces", "carried", "windows"),
    ("pieces", "windows", "pieces", "tiles"),
    ("carried", "windows"),
    ("then", "pieces"),
    ("then", "then", "then", "then"),
    ("then", "windows+then"),
    ("windows", "pieces", "adds"),
    ("windows", "pieces", "tiles"),
    ("windows+carried", "pieces"),
}
# Of programs that nest in these ways, without and with steps that go around.
SEEDS = [4, 77, 163, 10, 170, 11, 133, 137, 179, 21, 65, 105, 200, 275, 419, 516, 1030, 1169]


AROUND_SEEDS = [136, 1242]


def test_loops_nest_in_every_way():
    with recorded_nestings() as seen:
        for seed in SEEDS:
            check(seed, STEPS)
        for seed in AROUND_SEEDS:
            check(seed, STEPS | AROUND)
    assert seen >= NESTED, NESTED - seen


@pytest.mark.parametrize("size", [2**12, 2**15])
def test_tiles_of_pieces_are_compiled_too(size, monkeypatch):
    monkeypatch.setattr(tiling, "SMALLEST_TILED_CELLS", 1)
    ran, run = [], compiled_tiles.run
    monkeypatch.setattr(compiled_tiles, "run", lambda *a: ran.append(run(*a)) or ran[-1])
    x = np.random.default_rng(0).random((203, 97))
    store = zarr.create_array(zarr.storage.MemoryStore(), data=x, chunks=(20, 97))
    array = smooth(None, smooth(None, dt.from_zarr(store)))
    with dt.config(resources=ALONE), compilation.mode("wait"):
        whole = array.compute(scheduler="sync")
        ran.clear()
        with pieces_of(size), recorded_nestings() as seen:
            assert same_bits(array.compute(scheduler="sync"), whole)
    assert any(len(nested) > 1 and nested[-1] == "tiles" for nested in seen)
    assert len(ran) > 1
    assert all(ran)
