import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed

CELLS = np.random.default_rng(0).normal(size=(6, 5, 4))
NAMES = "sum prod min max any all mean var std".split()


def close(ours, theirs):
    assert isinstance(ours, dt.Array)
    assert (ours.shape, ours.dtype) == (np.shape(theirs), np.asarray(theirs).dtype)
    np.testing.assert_allclose(ours.compute(), theirs, rtol=1e-13)


@pytest.mark.covering
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_reductions_are_those_of_numpy(name, axis, keepdims):
    ours = getattr(dt, name)(CELLS, axis=axis, keepdims=keepdims)
    close(ours, getattr(np, name)(CELLS, axis=axis, keepdims=keepdims))


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "std"])
def test_a_dtype_may_be_given(name):
    assert getattr(dt, name)(CELLS, dtype="f4").dtype == np.float32


def test_degrees_of_freedom():
    close(dt.var(CELLS, ddof=1), np.var(CELLS, ddof=1))
    close(dt.std(CELLS, axis=0, ddof=2), np.std(CELLS, axis=0, ddof=2))


def test_nothing_is_added_to_nothing():
    assert dt.sum(dt.zeros((0, 3)), axis=0).compute().tolist() == [0, 0, 0]
    assert dt.prod(dt.zeros(0)).compute() == 1
    assert dt.any(dt.zeros(0)).compute() == np.False_
    assert dt.all(dt.zeros(0)).compute() == np.True_


@pytest.mark.parametrize("wrong", [3, -4, (0, 0), (1, 5)])
def test_wrong_axes(wrong):
    with pytest.raises(ValueError, match="axis"):
        dt.sum(CELLS, axis=wrong)


def test_an_axis_may_be_an_array_without_dimensions():
    axis = np.array(1)
    agreed(lambda np, a: a([[1.0, 2], [3, 4]]).sum(axis=axis))
    agreed(lambda np, a: a(3.0).sum(axis=np.array(0)))
    agreed(lambda np, a: a([[1.0, 2], [3, 4]]).argmax(axis=axis))
