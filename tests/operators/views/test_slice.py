import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.errors import IndexingError
from dask_tapestry.operators.views.slice import basic_slice
from tests.comparisons import same_bits

ITEMS = st.one_of(
    st.integers(-4, 3),
    st.slices(4),
    st.slices(9),
    st.just(Ellipsis),
    st.none(),
    st.integers(-2, 2).map(np.int8),
)


@given(st.lists(ITEMS, max_size=4).map(tuple))
def test_keys_mean_what_numpy_says(key):
    x = np.arange(64).reshape(4, 4, 4)
    node = dt.asarray(x).node
    try:
        expected = x[key]
    except IndexError:
        with pytest.raises(IndexingError):
            basic_slice(node, key)
        return
    sliced = basic_slice(node, key)
    value = sliced.operator.reference(x) if sliced is not node else x
    assert same_bits(value, expected)
    assert sliced.type.shape == expected.shape


def test_a_key_of_everything_is_nothing():
    x = dt.asarray(np.ones((3, 4))).node
    assert basic_slice(x, (slice(None), Ellipsis)) is x
    assert basic_slice(x, (slice(0, 3), slice(None, 99))) is x


@pytest.mark.parametrize("key", [(1.0,), ("a",), (slice(1.0),)])
def test_what_is_no_index_is_refused(key):
    with pytest.raises((IndexingError, TypeError)):
        basic_slice(dt.ones(3).node, key)


def test_names_follow_their_axes():
    x = dt.ones((3, 4), dims=("a", "b")).node
    assert basic_slice(x, (None, 0, slice(2))).type.dims == (None, "b")
