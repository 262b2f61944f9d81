import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt

TABLE = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])


def meaning(table, starts, dims, lengths):
    """Each box by a slice of its own."""
    sides = list(table.shape)
    for dim, length in zip(dims, lengths, strict=True):
        sides[dim] = length
    result = np.empty((*starts.shape[:-1], *sides), table.dtype)
    for place in np.ndindex(starts.shape[:-1]):
        cut = [slice(None)] * table.ndim
        for start, dim in zip(starts[place], dims, strict=True):
            first = min(max(int(start), 0), table.shape[dim] - sides[dim])
            cut[dim] = slice(first, first + sides[dim])
        result[place] = table[tuple(cut)]
    return result


def test_the_example_of_the_source():
    found = dt.patterns.sn_gather(TABLE, [[1], [0]], {0}, {2})
    assert found.compute().tolist() == [[[4, 5, 6], [7, 8, 9]], [[1, 2, 3], [4, 5, 6]]]


@given(st.data())
def test_boxes_are_slices(data):
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    table = np.arange(np.prod(shape)).reshape(shape)
    dims = data.draw(st.permutations(range(len(shape))))[: data.draw(st.integers(0, len(shape)))]
    lengths = [data.draw(st.integers(1, shape[dim])) for dim in dims]
    batch = data.draw(st.sampled_from([(), (2,), (0,), (2, 3)]))
    draw = st.integers(-2, 5)
    count = int(np.prod((*batch, len(dims))))
    starts = np.array(data.draw(st.lists(draw, min_size=count, max_size=count)), "i8")
    starts = starts.reshape(*batch, len(dims))
    with dt.config(block_bytes=data.draw(st.sampled_from([8, 40, 10**6]))):
        found = dt.patterns.gather(dt.asarray(table), dt.asarray(starts), dims, lengths).compute()
    np.testing.assert_array_equal(found, meaning(table, starts, dims, lengths))


def test_columns_belong_to_dimensions_in_the_order_given():
    found = dt.patterns.gather(TABLE, [[0, 2]], iter([1, 0]), (1, 1))
    assert found.compute().tolist() == [[[7]]]
    assert dt.patterns.gather(TABLE, [[2]], [-1], [1]).compute().tolist() == [[[3], [6], [9]]]


@pytest.mark.parametrize("dtype", ["u1", "i2", "u8"])
def test_starts_of_any_integer_dtype_are_clamped(dtype):
    starts = np.array([[0], [1], [np.iinfo(dtype).max]], dtype)
    found = dt.patterns.gather(TABLE, starts, [0], [2]).compute()
    assert found[:, :, 0].tolist() == [[1, 4], [4, 7], [4, 7]]


@pytest.mark.parametrize(
    ("starts", "dims", "lengths", "error", "text"),
    [
        ([[0.5]], [0], [1], dt.DTypeError, "must be integers, not float64"),
        ([[True]], [0], [1], dt.DTypeError, "must be integers, not bool"),
        ([[0, 1]], [0], [1], dt.ShapeError, "one column for each of the dimensions"),
        (0, [0], [1], dt.ShapeError, "one column"),
        ([[0]], [2], [1], dt.AxisError, "out of bounds"),
        ([[0, 0]], [0, -2], [1, 1], dt.AxisError, "twice"),
        ([[0]], [0], [1, 2], dt.ShapeError, "2 gather_lengths for 1"),
        ([[0]], [0], [4], dt.ShapeError, "not from 1 to 3"),
        ([[0]], [0], [0], dt.ShapeError, "not from 1 to 3"),
        ([[0]], [0], [1.5], TypeError, "integer"),
    ],
)
def test_what_does_not_fit_is_refused(starts, dims, lengths, error, text):
    with pytest.raises(error, match=text):
        dt.patterns.gather(TABLE, starts, dims, lengths)
