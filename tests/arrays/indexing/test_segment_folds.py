import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.indexing.segment_folds import fold_segments
from dask_tapestry.operators.reductions.monoids import FOLDS_OF_UFUNCS

BEGINS = {
    "one": [0],
    "later": [5],
    "equal": [0, 8, 16, 24],
    "equal, from later on, a long last one": [3, 5, 7],
    "unequal": [1, 4, 5, 30],
    "without cells": [2, 2, 2, 9, 9, 39],
    "each cell": list(range(40)),
}


@pytest.mark.few(8)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("begins", BEGINS.values(), ids=BEGINS)
@pytest.mark.parametrize("name", [*FOLDS_OF_UFUNCS])
@pytest.mark.parametrize("dtype", ["i1", "u8", "f4", "f8", "?"])
def test_folds_of_segments_are_numpys(name, begins, dtype):
    x = np.random.default_rng(0).integers(-3, 4, (40, 3)).astype(dtype)
    ufunc = getattr(np, name)
    for axis, cells in ((0, x), (1, np.ascontiguousarray(x.T))):
        expected = ufunc.reduceat(cells, begins, axis)
        with dt.config(block_bytes=32):
            found = ufunc.reduceat(dt.asarray(cells), begins, axis)
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
            np.testing.assert_array_equal(found.compute(), expected)


@pytest.mark.parametrize("begins", [[0, 7, 100_000], [5, 60_000, 115_000, 170_000]])
def test_segments_of_many_cells(begins):
    x = np.random.default_rng(1).normal(size=200_000)
    for name in ("add", "maximum"):
        ufunc = getattr(np, name)
        found = [
            ufunc.reduceat(dt.asarray(x), begins).compute(scheduler=s) for s in ("sync", "threads")
        ]
        np.testing.assert_allclose(found[0], ufunc.reduceat(x, begins), rtol=1e-10)
        assert found[0].tobytes() == found[1].tobytes()


def test_a_nan_passes_to_the_extremes_of_its_segment():
    x = np.arange(12.0)
    x[4] = np.nan
    for name in ("minimum", "maximum"):
        for begins in ([0, 4, 8], [0, 3, 8]):
            expected = getattr(np, name).reduceat(x, begins)
            found = getattr(np, name).reduceat(dt.asarray(x), begins).compute()
            np.testing.assert_array_equal(found, expected)


def test_what_is_no_fold_of_segments_that_follow_each_other():
    x = asarray(np.arange(8)).node
    assert fold_segments(x, "subtract", np.array([0, 4]), 0) is None
    assert fold_segments(x, "add", np.array([4, 0]), 0) is None
    assert fold_segments(x, "add", np.array([], np.intp), 0) is None


@pytest.mark.parametrize("segments", [20, 21])
def test_folds_of_segments_read_an_array_once(segments):
    n = 2_000_000_000
    x = dt.placeholder((n,), "float64", stored_chunks=(10_000_000,))
    begins = np.arange(0, n, n // segments)
    begins[-1] += segments % 2
    p = dt.plan(np.add.reduceat(x, begins), resources=dt.Resources(8, 2, "8 GiB"))
    assert p.cost["bytes_read"] <= 1.3 * x.nbytes
