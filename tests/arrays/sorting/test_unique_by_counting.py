"""UniqueBySorting small integers, found in a table of counts."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.sorting import unique_by_counting
from dask_tapestry.arrays.sorting.unique_by_counting import UniqueByCounting
from dask_tapestry.arrays.sorting.unique_by_sorting import UniqueBySorting
from dask_tapestry.arrays.tuning import CELLS_A_VALUE

RNG = np.random.default_rng(3)


def drawn(dtype, shape):
    if np.dtype(dtype).kind == "b":
        return RNG.random(shape) < 0.5
    limits = np.iinfo(dtype)
    native = np.dtype(dtype).newbyteorder("=")
    few = np.unique(RNG.integers(limits.min, limits.max, 40, native, endpoint=True))
    return RNG.choice(np.concatenate([few, [limits.min, limits.max]]).astype(dtype), shape)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", ">i2"])
@pytest.mark.parametrize("shape", [(7,), (3, 5), (0,), ()])
def test_they_are_those_of_numpy(dtype, shape):
    x = drawn(dtype, shape)
    found = UniqueByCounting.of(dt.asarray(x))
    ours = dt.compute(found.values(), found.inverse(), found.counts())
    theirs = np.unique(x, return_inverse=True, return_counts=True)
    for one, other in zip(ours, theirs, strict=True):
        assert np.array_equal(one, other)
        assert one.dtype.newbyteorder("=") == other.dtype.newbyteorder("=")


def test_they_are_those_of_sorted_cells_however_they_are_cut():
    x = dt.asarray(drawn("i2", (40, 9000))).rechunk((7, 1234))
    sorted_ones, counted = UniqueBySorting.of(x, equal_nan=True), UniqueByCounting.of(x)
    for name in ("values", "counts", "inverse"):
        assert np.array_equal(
            getattr(counted, name)().compute(), getattr(sorted_ones, name)().compute()
        )


def test_a_table_is_for_many_small_integers(monkeypatch):
    many = CELLS_A_VALUE * 256
    assert UniqueByCounting.is_for(dt.placeholder((many,), "i1"))
    assert not UniqueByCounting.is_for(dt.placeholder((many - 1,), "i1"))
    assert not UniqueByCounting.is_for(dt.placeholder((many,), "i2"))
    assert not UniqueByCounting.is_for(dt.placeholder((10**9,), "i4"))
    assert not UniqueByCounting.is_for(dt.placeholder((10**9,), "f2"))
    made = []
    of = UniqueByCounting.of
    monkeypatch.setattr(
        unique_by_counting.UniqueByCounting, "of", lambda x: made.append(x.size) or of(x)
    )
    x = drawn("u1", (4, 300))
    values, counts = dt.unique(x, return_counts=True)
    assert made == [1200]
    assert np.array_equal(values.compute(), np.unique(x))
    assert counts.compute().sum() == 1200
    assert np.array_equal(dt.unique_values(x).compute(), np.unique(x))
    assert np.array_equal(dt.unique_inverse(x).inverse_indices.compute(), np.unique_inverse(x)[1])
    assert len(made) == 3


def test_indices_go_with_the_other_results():
    x = drawn("i1", 5000)
    ours = dt.compute(*dt.unique(x, True, True, True))
    for one, other in zip(ours, np.unique(x, True, True, True), strict=True):
        assert np.array_equal(one, other)


def test_cells_that_no_worker_could_hold_are_counted():
    x = dt.placeholder((2 * 10**9,), "i2", (10**6,))
    found = UniqueByCounting.of(x)
    machines = dt.Resources(2, 2, "512 MiB")
    for node in (found.occurrences, found.inverse().node):
        plan = dt.plan(dt.Array(node).sum(), resources=machines)
        plan.verify()
        assert plan.cost["peak_worker_bytes"] < 2**29


@pytest.mark.parametrize("dtype", ["i8", "i4", "u4", "u8", "u1"])
@pytest.mark.parametrize("least", [0, 3])
def test_integers_of_few_values_are_counted(dtype, least):
    x = np.random.default_rng(0).integers(0, 200, 5000).astype(dtype)
    few = dt.asarray(x) % 40 + least
    assert UniqueByCounting.is_for(few)
    found = dt.compute(*dt.unique(few, return_inverse=True, return_counts=True))
    expected = np.unique(x % 40 + least, return_inverse=True, return_counts=True)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_numbers_beyond_those_of_places_are_sorted():
    few = dt.asarray(np.full(5000, 2**63, "u8")) | 2**63
    assert not UniqueByCounting.is_for(dt.maximum(few, np.uint64(2**64 - 5)))
