"""The grid in which data is stored passes through operators; what else cuts it does not."""

import dask.array as da
import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.cells import Spaced
from dask_tapestry.teg.stored_grid import spaced, stored_cuts
from dask_tapestry.zspace import Cuts

SHAPE, CHUNKS = (60, 90), (20, 15)


def shown(x):
    return [cuts and str(cuts) for cuts in stored_cuts(x.node)]


@pytest.fixture
def x():
    return dt.placeholder(SHAPE, "f8", stored_chunks=CHUNKS)


@pytest.mark.parametrize(
    ("function", "cuts"),
    [
        (lambda x: x, ["3x20", "6x15"]),
        (lambda x: x * 2 + x, ["3x20", "6x15"]),
        (lambda x: x.T, ["6x15", "3x20"]),
        (lambda x: x[5:, 20:50], ["15 + 2x20", "10 + 2x15"]),
        (lambda x: x[::-1, ::3], ["3x20", "6x5"]),
        (lambda x: x[4], ["6x15"]),
        (lambda x: x[:, None, 7:], ["3x20", None, "8 + 5x15"]),
        (lambda x: x - x.mean(axis=0), ["3x20", "6x15"]),
        (lambda x: x.cumsum(axis=0), ["3x20", "6x15"]),
        (lambda x: dt.sort(x, axis=0), [None, "6x15"]),
        (lambda x: dt.fft.fft(x, axis=1), ["3x20", None]),
        (lambda x: dt.fft.fft2(x), [None, None]),
        (lambda x: x @ x.T, ["3x20", "3x20"]),
        (lambda x: x.reshape(60, 9, 10), ["3x20", "(2, 1, 2, 1, 2, 1)", "10"]),
        (lambda x: dt.concatenate([x, x]), ["6x20", "6x15"]),
        (lambda x: dt.concatenate([x, dt.ones((20, 90))]), ["4x20", "6x15"]),
        (lambda x: dt.concatenate([dt.ones((33, 90)), x]), ["13 + 4x20", "6x15"]),
        (lambda x: dt.pad(x, ((0, 0), (31, 7)), mode="constant"), ["3x20", "1 + 9x15"]),
        (lambda x: dt.concatenate([x, x[5:]]), ["(20, 20, 20, 15, 20, 20)", "6x15"]),
        (lambda x: dt.broadcast_to(x, (4, *SHAPE)), [None, "3x20", "6x15"]),
    ],
)
def test_it_follows_the_data(x, function, cuts):
    assert shown(function(x)) == cuts


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.rechunk((7, 7)),
        lambda x: dt.pin(x + 1),
        lambda x: x.map_blocks(np.negative),
        lambda x: x + dt.from_array(np.ones(SHAPE), chunks=(7, 7)),
        lambda x: dt.from_array(np.ones(SHAPE), chunks=(7, 7)) + x,
        lambda x: dt.where(x > 0, x, dt.ones(SHAPE, chunks=(7, 7))),
    ],
)
def test_layouts_and_nominal_chunks_are_no_stored_grid(x, function):
    assert shown(function(x)) == ["3x20", "6x15"]


def test_of_several_the_largest_counts_and_the_first_at_a_tie(x):
    other = dt.placeholder(SHAPE, "f8", stored_chunks=(10, 9))
    assert shown(x + other) == shown(x)
    assert shown(other + x) == shown(other)
    assert shown(other.astype("f4") + x) == shown(x)
    assert shown(other[:1] + x) == shown(x)


def test_what_is_in_memory_has_none():
    for array in (dt.ones(SHAPE), dt.asarray(np.ones(SHAPE)), dt.from_array(np.ones(SHAPE), 7)):
        assert shown(array) == [None, None]


def test_persisted_data_keeps_that_of_what_it_was(tmp_path):
    zarr.create_array(tmp_path / "x", shape=SHAPE, chunks=CHUNKS, dtype="f8")
    x = dt.from_zarr(tmp_path / "x")
    assert shown((x.rechunk((7, 7)) + 1).T.persist()) == ["6x15", "3x20"]
    assert shown(dt.ones(SHAPE, chunks=(7, 7)).persist()) == [None, None]


def test_chunks_of_a_dask_array_are_a_stored_grid():
    assert shown(dt.from_dask_array(da.ones(SHAPE, chunks=CHUNKS))) == ["3x20", "6x15"]


def test_chunks_of_different_sides_have_no_spacing():
    assert spaced(Cuts.of_lengths([5, 20, 20, 7])) == Spaced(20, -15)
    assert spaced(Cuts.of_lengths([5, 20, 19, 7])) is None
    assert spaced(Cuts.of_lengths([30, 20, 20])) is None
    assert spaced(Cuts.of_lengths([13])) == Spaced(13)


def test_long_chains_are_walked_without_recursion(x):
    for _ in range(3000):
        x = x + 1
    assert shown(x) == ["3x20", "6x15"]
