import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.parametrize("shape", [3, (2, 3), (), (0,), [2, 2], (2, 0, 3)])
@pytest.mark.parametrize("name", ["ones", "zeros", "empty"])
def test_constant_arrays(name, shape):
    result, expected = getattr(dt, name)(shape), getattr(np, name)(shape)
    assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
    value = expected if name != "empty" else np.zeros(shape)
    np.testing.assert_array_equal(result.compute(), value)


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "c8", "M8[D]", ">f8"])
def test_of_any_dtype(dtype):
    result = dt.zeros(2, dtype)
    assert result.dtype == np.dtype(dtype).newbyteorder("=")
    np.testing.assert_array_equal(result.compute(), np.zeros(2, dtype))


@pytest.mark.parametrize("value", [7, 2.5, True, 1j, np.int8(3), np.datetime64("2020-01-01")])
def test_full_takes_the_dtype_of_its_value(value):
    result = dt.full((2, 3), value)
    assert result.dtype == np.full((2, 3), value).dtype
    np.testing.assert_array_equal(result.compute(), np.full((2, 3), value))


def test_full_of_an_array_is_broadcast():
    for fill in ([1, 2, 3], dt.asarray([1, 2, 3])):
        np.testing.assert_array_equal(dt.full((2, 3), fill).compute(), np.full((2, 3), [1, 2, 3]))


def test_full_converts():
    assert dt.full(2, 3.7, "i4").compute().tolist() == [3, 3]


def test_a_large_array_takes_no_memory():
    assert dt.ones((10**6, 10**6, 10**6))[5, :3, 7].compute().tolist() == [1, 1, 1]


def test_wrong_shapes_and_dtypes():
    with pytest.raises(dt.ShapeError, match="negative"):
        dt.ones((2, -1))
    with pytest.raises(TypeError):
        dt.ones(2.5)
    with pytest.raises(dt.DTypeError, match="unknown dtype"):
        dt.ones(2, "float33")
    with pytest.raises(dt.DTypeError, match="Python objects"):
        dt.zeros(2, [("a", object)])


def test_names_of_dimensions():
    assert dt.ones((2, 3), dims=("y", "x")).dims == ("y", "x")


@pytest.mark.parametrize("dtype", ["U2", "S3", "U", None])
@pytest.mark.parametrize("value", ["a", "abc", ""])
def test_strings_are_as_long_as_the_dtype_says(dtype, value):
    made = dt.full((2, 1), value, dtype)
    expected = np.full((2, 1), value, dtype)
    assert made.dtype == expected.dtype
    assert np.array_equal(made.compute(), expected)
