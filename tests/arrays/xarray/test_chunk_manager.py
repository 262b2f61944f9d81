"""The chunk manager alone, by the functions that xarray calls."""

import warnings

import dask.array as da
import numpy as np
import pytest
import xarray as xr

import dask_tapestry as dt

MANAGER = dt.xarray.TapestryManager()
VALUES = np.arange(24.0).reshape(4, 6)


def test_both_kinds_are_chunked_arrays():
    assert MANAGER.is_chunked_array(dt.ones(3))
    assert MANAGER.is_chunked_array(da.ones(3))
    assert not MANAGER.is_chunked_array(np.ones(3))


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ({}, ((2, 2), (3, 3))),
        ({0: 3}, ((3, 1), (3, 3))),
        ({1: (2, 4)}, ((2, 2), (2, 4))),
        ({0: "16B"}, ((1, 1, 1, 1), (3, 3))),
        (-1, ((4,), (6,))),
        ((None, 6), ((2, 2), (6,))),
        ("auto", ((4,), (6,))),
    ],
)
@pytest.mark.parametrize("kind", [dt, da])
def test_chunks_are_nominal_and_chosen_as_by_dask(kind, chunks, expected):
    x = MANAGER.rechunk(kind.from_array(VALUES, (2, 3)), chunks)
    assert isinstance(x, dt.Array)
    assert MANAGER.chunks(x) == expected
    np.testing.assert_array_equal(x.compute(), VALUES)


def test_automatic_chunks_of_no_cells():
    assert MANAGER.rechunk(dt.zeros((0, 4)), {1: "auto"}).chunks == ((0,), (4,))
    assert MANAGER.from_array(np.zeros((0, 4)), ("auto", None)).chunks == ((0,), (4,))
    assert MANAGER.from_array(np.array(3), ()).shape == ()
    assert MANAGER.rechunk(dt.zeros((5, 0)), {0: 2}).chunks == ((2, 2, 1), (0,))
    assert MANAGER.rechunk(dt.zeros((5, 0)), "auto").chunks == ((5,), (0,))


def test_the_size_of_automatic_chunks_is_dask_s():
    assert MANAGER.get_auto_chunk_size() == 128 * 2**20


def test_both_kinds_are_computed_and_kept_together():
    ours, theirs = dt.from_array(VALUES), da.from_array(VALUES, 2)
    for value in MANAGER.compute(ours + 1, theirs + 1):
        np.testing.assert_array_equal(value, VALUES + 1)
    kept = MANAGER.persist(ours, theirs)
    assert all(isinstance(x, dt.Array) for x in kept)


def test_functions_of_blocks():
    x = dt.from_array(VALUES, (2, 3))
    total = MANAGER.reduction(x, np.sum, aggregate_func=np.sum, axis=1, dtype="f8")
    np.testing.assert_array_equal(total.compute(), VALUES.sum(axis=1))
    running = MANAGER.scan(np.cumsum, np.add, 0, x, axis=1, dtype="f8")
    np.testing.assert_array_equal(running.compute(), VALUES.cumsum(axis=1))
    norm = MANAGER.apply_gufunc(np.linalg.norm, "(i)->()", x, vectorize=True)
    np.testing.assert_array_equal(norm.compute(), np.linalg.norm(VALUES, axis=1))
    halves = MANAGER.map_blocks(np.divide, x, 2, dtype="f8")
    np.testing.assert_array_equal(halves.compute(), VALUES / 2)
    turned = MANAGER.blockwise(np.transpose, "ji", x, "ij", dtype="f8")
    np.testing.assert_array_equal(turned.compute(), VALUES.T)


def test_common_chunks():
    x, y = dt.from_array(VALUES, (2, 3)), dt.from_array(VALUES[0], 2)
    shared, (a, b) = MANAGER.unify_chunks(x, "ij", y, "j")
    assert shared == {"i": (2, 2), "j": (2, 1, 1, 2)}
    assert a.chunks == ((2, 2), (2, 1, 1, 2))
    assert b.chunks == ((2, 1, 1, 2),)


def test_writes():
    target = np.zeros((4, 12))
    regions = [(slice(None), slice(0, 12, 2))]
    MANAGER.store([da.from_array(VALUES, 2)], [target], lock=None, flush=True, regions=regions)
    np.testing.assert_array_equal(target[:, ::2], VALUES)


def test_groups_are_brought_together():
    shuffled = MANAGER.shuffle(dt.from_array(VALUES, 2), [[0, 2, 4], [1, 3], [5]], 1, "auto")
    assert shuffled.chunks[1] == (3, 2, 1)
    np.testing.assert_array_equal(shuffled.compute(), VALUES[:, [0, 2, 4, 1, 3, 5]])


def test_python_objects_stay_where_they_are():
    words = np.array(["a", None, "b"], dtype=object)
    assert MANAGER.from_array(words, 2) is words
    theirs = da.from_array(words, 3)
    assert MANAGER.rechunk(theirs, {0: 2}).chunks == ((2, 1),)
    assert isinstance(MANAGER.persist(theirs)[0], da.Array)
    assert list(MANAGER.compute(theirs)[0]) == list(words)


@pytest.mark.parametrize("name", ["mean", "max", "std", "median"])
def test_slices_without_numbers_are_told_as_xarray_does(name):
    nothing = xr.DataArray(np.full((4, 6), np.nan), dims=("a", "b"))
    with dt.xarray.use():
        lazy = getattr(nothing.chunk(a=2), name)("b")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(lazy.compute(), getattr(nothing, name)("b"))
            MANAGER.store([lazy.data], [np.zeros(4)])


def test_other_errors_of_floating_point_are_told():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        MANAGER.compute(1 / dt.asarray([0.0, 1]))
