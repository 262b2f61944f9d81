import numpy as np
import pytest

import dask_tapestry as dt

CELLS = np.random.default_rng(0).normal(size=(6, 5, 4))


@pytest.mark.parametrize("name", ["argmin", "argmax"])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_places_are_those_of_numpy(name, axis):
    cells = np.round(CELLS)
    for keepdims in (False, True):
        expected = getattr(np, name)(cells, axis=axis, keepdims=keepdims)
        ours = getattr(dt, name)(cells, axis=axis, keepdims=keepdims)
        assert ours.shape == np.shape(expected)
        np.testing.assert_array_equal(ours.compute(), expected)


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_there_must_be_something_to_choose_from(name):
    for x in (dt.zeros((0,)), dt.zeros((0, 3))):
        with pytest.raises(ValueError, match=r"zero-size|no identity|empty"):
            getattr(dt, name)(x, axis=0)


def test_nan_wins():
    x = dt.asarray([1.0, np.nan, 0.0])
    assert np.isnan(x.min().compute())
    assert np.isnan(x.max().compute())
    assert x.argmin().compute() == x.argmax().compute() == 1
