import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from tests.arrays.parity import refused

CELLS = np.arange(12).reshape(3, 4)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.insert(a(CELLS), 4, 1, 0),
        lambda np, a: np.insert(a(CELLS), [0, 9], 1, 0),
        lambda np, a: np.insert(a(CELLS), 0, 1, 2),
        lambda np, a: np.insert(a(CELLS), 1, [1, 2, 3], 0),
        lambda np, a: np.insert(a(CELLS), [[1]], 1, 0),
        lambda np, a: np.insert(a(CELLS), [0.5, 1.5], 1, 0),
        lambda np, a: np.delete(a(CELLS), 12),
        lambda np, a: np.delete(a(CELLS), 3, 0),
        lambda np, a: np.delete(a(CELLS), [0, 3], 0),
        lambda np, a: np.delete(a(CELLS), 0, 2),
        lambda np, a: np.delete(a(CELLS), [True, False], 0),
        lambda np, a: np.delete(a(CELLS), [0.5, 1.5], 0),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


@given(st.lists(st.integers(-7, 6), max_size=9))
def test_any_places(places):
    x = np.arange(7) * 10
    values = np.arange(len(places))
    expected = np.insert(x, places, values if len(places) != 1 else 0)
    np.testing.assert_array_equal(
        dt.insert(x, places, values if len(places) != 1 else 0).compute(), expected
    )
    np.testing.assert_array_equal(dt.delete(x, places).compute(), np.delete(x, places))


@given(st.builds(slice, *[st.none() | st.integers(-9, 9)] * 2, st.integers(-4, 4).filter(bool)))
def test_any_slice(key):
    x = np.arange(7) * 10
    np.testing.assert_array_equal(dt.delete(x, key).compute(), np.delete(x, key))
    np.testing.assert_array_equal(dt.insert(x, key, 5).compute(), np.insert(x, key, 5))


def test_what_is_inserted_takes_the_dtype():
    made = dt.insert(np.ones(2, "i4"), 1, 2.7)
    assert made.dtype == np.int32
    assert made.compute().tolist() == [1, 2, 1]


def test_places_must_be_known():
    with pytest.raises(TypeError, match="must be known now"):
        dt.delete(CELLS, dt.placeholder((1,), "i8"))
