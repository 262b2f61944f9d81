"""Blocks that are computed in turns have the bits of those that are not, and take less memory."""

from math import prod
from random import Random

import numpy as np
import pytest
import zarr
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.steps.streaming import block_schedule_of
from dask_tapestry_kernels import compilation
from tests.comparisons import same_bits
from tests.examples import examples
from tests.fuzz import programs
from tests.pieces import pieces_of
from tests.stores import CountingStore

from .peaks import SPARE, needs_counters, peak_of
from .sources import Failing, Recorded

ALONE = dt.Resources(threads=1, memory="4 GiB")
DTYPES = st.sampled_from(["f4", "f8", "i2", "u1", "c8", "?"])
FOLDS = ["sum", "prod", "mean", "std", "min", "argmax", "any", "count_nonzero"]


def values(make, x):
    """What `make` computes of an array, as a whole and in pieces."""
    whole = make(dt.asarray(x)).compute(scheduler="sync")
    with pieces_of(256):
        return whole, make(dt.asarray(x)).compute(scheduler="sync")


@examples(60)
@given(DTYPES, st.integers(0, 70), st.integers(0, 70), st.sampled_from(FOLDS), st.data())
def test_folds_in_pieces_have_the_bits_of_the_whole(dtype, rows, columns, fold, data):
    x = (np.random.default_rng(0).random((rows, columns)) * 9 - 3).astype(dtype)
    axis = data.draw(st.sampled_from([None, 0, 1]))
    if dtype == "c8" and fold in ("min", "argmax"):
        x = x.real
    if not x.size and fold in ("min", "argmax"):
        return
    twice = data.draw(st.booleans())

    def folded(a):
        cells = dt.where(a != 0, a, a.T.T[::-1]) if twice else a
        return getattr(dt, fold)(cells, axis=axis)

    with np.errstate(all="ignore"):
        whole, pieces = values(folded, x)
    assert same_bits(pieces, whole)


@examples(60)
@given(DTYPES, st.integers(0, 40), st.integers(1, 40), st.integers(1, 5))
def test_cells_in_pieces_have_the_bits_of_the_whole(dtype, rows, columns, step):
    x = (np.random.default_rng(0).random((rows, columns)) * 9).astype(dtype)
    whole, pieces = values(lambda a: dt.concatenate([a.T[::step], a[:, :1].T * 2], axis=0), x)
    assert same_bits(pieces, whole)


@examples(40)
@given(st.sampled_from(["f4", "f8", "i4", "c8", "?"]), st.integers(1, 30), st.integers(0, 90))
def test_products_in_pieces_are_near_those_of_numpy(dtype, rows, terms):
    x = (np.random.default_rng(0).random((rows, terms)) * 9).astype(dtype)
    _, pieces = values(lambda a: (a + a) @ (a * a).T, x)
    np.testing.assert_allclose(pieces, (x + x) @ (x * x).T, rtol=1e-5)


@examples(20, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6))
def test_random_programs_in_pieces(seed):
    with pieces_of(200):
        programs.run(Random(seed))


def test_a_store_is_read_piece_by_piece_and_once(tmp_path):
    source = Recorded(np.arange(64.0 * 32).reshape(64, 32), tmp_path / "reads")
    with pieces_of(8 * 512), dt.config(resources=ALONE):
        x = dt.from_array(source)
        np.testing.assert_array_equal((x * 2).max(1).compute(), source.data.max(1) * 2)
    assert len(source.reads) > 2
    rows = sorted(tuple(map(int, read.split()[0].split(":"))) for read in source.reads)
    assert [a for a, _ in rows] == [0, *[b for _, b in rows][:-1]]


STENCILS = {
    "differences": lambda m, x: m.abs(m.diff(m.diff(x, axis=0), axis=1)).max(axis=1),
    "differences down columns": lambda m, x: m.diff(x, n=2, axis=0).max(axis=0),
    "transposed": lambda m, x: (x[1:, 2:] - x[:-1, :-2]).T * 3,
    "strided mean": lambda m, x: (x + 1)[::7, ::11].mean(axis=0),
    "strided": lambda m, x: x[2::3, ::2] * 2,
    "two steps": lambda m, x: (
        (x[2:] + x[:-2])[2:, 1:-1] + (x[2:] + x[:-2])[:-2, 1:-1] - x[2:-2, 2:]
    ),
    "flipped": lambda m, x: x[1:] - x[:-1][::-1],
    "padded": lambda m, x: m.pad(x, 1, mode="edge")[2:, 1:-1] + x,
    "rolled": lambda m, x: (x - m.roll(x, 1, axis=0)) * 2,
    "rolled far": lambda m, x: x * m.roll(x, 77, axis=0),
    "around": lambda m, x: around(m, around(m, x)),
    "means around": lambda m, x: m.abs(around(m, x)).mean(axis=1),
    "wrapped": lambda m, x: (lambda p: p[2:, 1:-1] + p[:-2, 2:])(m.pad(x, 1, mode="wrap")),
}


def around(m, x):
    return x - 0.1 * sum(m.roll(x, shift, axis) for shift in (1, -1) for axis in (0, 1))


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("name", STENCILS)
@pytest.mark.parametrize("size", [2**12, 2**14])
def test_pieces_of_stencils_read_each_chunk_once(name, size):
    make, data = STENCILS[name], np.random.default_rng(0).random((203, 97))
    store = CountingStore(zarr.storage.MemoryStore())
    x = dt.from_zarr(zarr.create_array(store, data=data, chunks=(20, 30)))
    with dt.config(resources=ALONE):
        whole = make(dt, x).compute(scheduler="sync")
        np.testing.assert_allclose(whole, make(np, data))
        with pieces_of(size, always=False):
            plan = dt.plan(make(dt, x))
            store.clear_counts()
            assert same_bits(make(dt, x).compute(scheduler="sync"), whole)
    (step,) = plan.core.steps.values()
    if prod(cuts.count for cuts in step.cuts) == 1:
        assert set(store.reads.values()) == {1}


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("corner", [(0, 0), (103, 0), (103, 37)])
@pytest.mark.parametrize("name", ["rolled", "rolled far", "around", "wrapped"])
def test_pieces_at_the_ends_of_what_is_rolled_read_each_chunk_once(name, corner):
    """They need boxes of the store that lie apart, each of which has a window."""
    data = np.random.default_rng(0).random((203, 97))
    store = CountingStore(zarr.storage.MemoryStore())
    x = dt.from_zarr(zarr.create_array(store, data=data, chunks=(20, 30)))
    part = tuple(slice(at, at + side) for at, side in zip(corner, (100, 60), strict=True))

    def make(m, x):
        return STENCILS[name](m, x)[part].mean(axis=1)

    with dt.config(resources=ALONE):
        whole = make(dt, x).compute(scheduler="sync")
        np.testing.assert_allclose(whole, make(np, data))
        with pieces_of(2**12, always=False):
            (first, *_) = dt.plan(make(dt, x)).core.steps.values()
            assert block_schedule_of(first.program, first.program.type.box).pieces > 1
            store.clear_counts()
            assert same_bits(make(dt, x).compute(scheduler="sync"), whole)
    assert set(store.reads.values()) == {1}


SCANS = {
    "down columns": lambda m, x: m.cumsum(x * 2, axis=0),
    "along rows": lambda m, x: m.cumsum(x * 2, axis=1) + 1,
    "of few digits": lambda m, x: m.cumsum(x.astype("f4"), axis=0) * 2,
    "folded": lambda m, x: m.cumsum(x, axis=0).max(axis=0),
    "folded across": lambda m, x: m.cumsum(x - 0.5, axis=0).max(axis=1),
    "both ways": lambda m, x: m.cumsum(m.cumsum(x, axis=0), axis=1),
    "of differences": lambda m, x: m.cumsum(m.diff(x, axis=0), axis=0),
    "transposed": lambda m, x: m.cumsum(x, axis=0).T * 3,
    "a product": lambda m, x: m.cumprod(x, axis=1)[:, ::3],
    "backwards": lambda m, x: m.cumsum(x[::-1], axis=0)[::-1] * 2,
}


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("size", [2**12, 2**14, 2**16])
def test_pieces_of_scans_read_each_chunk_once(name, size):
    make, data = SCANS[name], np.random.default_rng(0).random((403, 197))
    store = CountingStore(zarr.storage.MemoryStore())
    x = dt.from_zarr(zarr.create_array(store, data=data, chunks=(20, 30)))
    with dt.config(resources=ALONE):
        whole = make(dt, x).compute(scheduler="sync")
        np.testing.assert_allclose(whole, make(np, data), rtol=1e-4)
        with pieces_of(size, always=False):
            store.clear_counts()
            assert same_bits(make(dt, x).compute(scheduler="sync"), whole)
    assert set(store.reads.values()) == {1}


@examples(60)
@given(DTYPES, st.integers(1, 700), st.integers(1, 40), st.integers(0, 1), st.booleans())
def test_scans_in_pieces_have_the_bits_of_the_whole(dtype, rows, columns, axis, folded):
    x = (np.random.default_rng(0).random((rows, columns)) * 9 - 3).astype(dtype)

    def scanned(a):
        totals = dt.cumsum(a + a, axis=axis)
        return totals.sum(0) if folded else totals

    whole, pieces = values(scanned, x)
    assert same_bits(pieces, whole)


def test_a_scan_of_one_store_into_another_takes_the_memory_of_a_piece(tmp_path):
    data = np.random.default_rng(0).random((64 * 128, 4))
    x = dt.from_zarr(zarr.create_array(tmp_path / "x", data=data, chunks=(128, 4)))
    with pieces_of(2**14), dt.config(resources=ALONE):
        write = dt.to_zarr(x.cumsum(axis=0), tmp_path / "y", chunks=(256, 4), compute=False)
        p = dt.plan(write)
        assert p.cost["peak_worker_bytes"] < x.nbytes / 4
        assert p.cost["bytes_read"] == x.nbytes
        write.compute(scheduler="sync")
    np.testing.assert_allclose(zarr.open_array(tmp_path / "y")[...], data.cumsum(axis=0))


def test_an_error_in_a_piece_says_where_it_happened():
    with pieces_of(64), dt.config(resources=ALONE):
        x = dt.from_array(Failing((64, 2), row=40)) + 1
        with pytest.raises(OSError, match="on fire") as caught:
            x.compute(scheduler="sync")
    assert "while computing array(), block [" in str(caught.value)
    assert "of float64[64, 2]" in str(caught.value)
    assert f"{__file__}:" in str(caught.value)


def test_a_sink_is_written_piece_by_piece(tmp_path):
    x = np.random.default_rng(0).random((60, 40))
    zarr.create_array(tmp_path / "x", data=x, chunks=(20, 10))
    with pieces_of(2048), dt.config(resources=ALONE):
        y = dt.from_zarr(tmp_path / "x")
        dt.to_zarr(y.T + 1, tmp_path / "y", chunks=(10, 20))
    np.testing.assert_array_equal(zarr.open_array(tmp_path / "y")[:], x.T + 1)


def test_a_users_function_sees_the_blocks_of_the_plan():
    seen = []

    def tell(block):
        seen.append(block.shape)
        return block

    x = dt.asarray(np.ones((30, 30))).rechunk((10, 30))
    with pieces_of(64):
        dt.map_blocks(tell, x + 1, dtype="f8").sum().compute(scheduler="sync")
    assert set(seen) - {(0, 0), (1, 1)} <= {(10, 30)}


STORED = {
    "sum": lambda s: s.sum(),
    "columns of a formula": lambda s: (dt.sqrt(s) + s * s).mean(0),
    "transposed": lambda s: s.T,
    "gram": lambda s: s[:, :512].T @ s[:, :512],
}


@pytest.mark.few(2)  # as unlike as so many can be
@needs_counters
@pytest.mark.parametrize("name", STORED)
def test_pieces_take_the_memory_that_the_plan_says(name, tmp_path):
    data = np.random.default_rng(0).random((4096, 2048))
    zarr.create_array(tmp_path / "s", data=data, chunks=(256, 512), compressors=None)
    small = pieces_of(2**22, always=False)
    with small, dt.config(resources=ALONE), compilation.mode("wait"):
        job = STORED[name](dt.from_zarr(tmp_path / "s"))
        steps = dt.plan(job).core.steps.values()
        assert any(block_schedule_of(s.program, s.box((0,) * len(s.cuts))).loops for s in steps)
        peak_of(job)  # kernels take memory when they are loaded
        measured, predicted = peak_of(job)
    assert measured < predicted + SPARE / 4
    assert predicted < data.nbytes + 0.5 * SPARE


@pytest.mark.few(2)  # a short and a long one
@pytest.mark.parametrize("window", [5, 64, 100])
def test_long_windows_in_pieces_have_the_bits_of_the_whole(tmp_path, window):
    """Pieces share large windows, the first ones from where the value begins, and are in parts."""
    cells = np.random.default_rng(0).random((500, 6, 10)).astype("f4")
    maps = zarr.create_array(tmp_path / "maps", data=cells, chunks=(1, 6, 10))

    def means():
        x = dt.pad(dt.from_zarr(maps), ((window - 1, 0), (0, 0), (0, 0)), constant_values=np.nan)
        return dt.lib.stride_tricks.sliding_window_view(x, window, axis=0).mean(-1)

    def written(name):
        dt.to_zarr(means(), tmp_path / name, resources=ALONE)
        return zarr.open_array(tmp_path / name)[:]

    whole, largest = written("whole"), dt.nanmax(means(), axis=0).compute(scheduler="sync")
    assert np.isnan(whole[: window - 1]).all()
    for size in (256, 1000, 4000):
        with pieces_of(size, always=False):
            assert same_bits(written(f"pieces {size}"), whole)
            assert same_bits(dt.nanmax(means(), axis=0).compute(scheduler="sync"), largest)
