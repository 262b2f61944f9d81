import numpy as np
import pytest

import dask_tapestry as dt


def test_an_array_is_a_copy():
    x = np.zeros(3)
    made, same = dt.array(x), dt.array(x, copy=False)
    x[:] = 1
    assert made.compute().tolist() == [0, 0, 0]
    assert same.compute().tolist() == [1, 1, 1]


@pytest.mark.parametrize("ndmin", [0, 1, 2, 4])
def test_new_dimensions_come_first(ndmin):
    x = np.ones((2, 3), "i2")
    made, expected = dt.array(x, ndmin=ndmin, dtype="f4"), np.array(x, ndmin=ndmin, dtype="f4")
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)


def test_asanyarray_copies_when_asked():
    x = np.zeros(3)
    made, same = dt.asanyarray(x, copy=True), dt.asanyarray(x)
    x[:] = 1
    assert made.compute().tolist() == [0, 0, 0]
    assert same.compute().tolist() == [1, 1, 1]


def test_arguments_without_effect_are_checked():
    with pytest.raises(ValueError, match="order must be one of"):
        dt.array([1], order="x")
    with pytest.raises(TypeError):
        dt.asanyarray([1], shape=3)
    assert dt.asanyarray([1], copy=None, device="cpu").shape == (1,)


def test_numpys_functions_are_ours():
    x = dt.ones(2)
    for made in (np.copy(x), np.asanyarray([1], like=x), np.ascontiguousarray([1], like=x)):
        assert isinstance(made, dt.Array)
