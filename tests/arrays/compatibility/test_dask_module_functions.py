import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ArgumentError

CELLS = np.arange(12.0).reshape(3, 4)


def both(function, *cells):
    """What a function of a module of arrays gives for ours, and for Dask's."""
    ours = function(dt, *(dt.from_array(one, chunks=2) for one in cells))
    theirs = function(da, *(da.from_array(one, chunks=2) for one in cells))
    assert isinstance(ours, dt.Array)
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.compute(), theirs.compute())


@pytest.mark.parametrize("op", [np.add, np.hypot, lambda x, y: x * 2 + y])
@pytest.mark.parametrize("dtype", [None, "f4"])
def test_elemwise(op, dtype):
    both(lambda m, x, y: m.core.elemwise(op, x, y, dtype=dtype, name="x").astype(x.dtype),
         CELLS, CELLS[0])  # fmt: skip


@pytest.mark.parametrize("axis", [0, 1, None])
@pytest.mark.parametrize("method", ["sequential", "blelloch"])
def test_cumreduction(axis, method):
    both(
        lambda m, x: m.reductions.cumreduction(
            np.cumsum, np.add, 0, x, axis=axis, dtype=x.dtype, method=method, preop=np.sum
        ),
        CELLS,
    )


def test_cumreduction_makes_no_place_for_others():
    with pytest.raises(ArgumentError, match="two methods"):
        dt.reductions.cumreduction(np.cumsum, np.add, 0, CELLS, method="fast")


def test_shuffle_slice():
    both(lambda m, x: m.slicing.shuffle_slice(x, np.array([2, 0, 1])), CELLS)


def test_assert_eq():
    x = dt.from_array(CELLS, chunks=2)
    assert dt.utils.assert_eq(x, CELLS)
    assert dt.utils.assert_eq(x, da.from_array(CELLS))
    for other in (CELLS + 1, CELLS.astype("f4"), CELLS[:2]):
        with pytest.raises(AssertionError):
            dt.utils.assert_eq(x, other)
