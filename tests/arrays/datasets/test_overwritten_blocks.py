"""Parts of persisted arrays replaced: NumPy's cells, other blocks only where they change."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.arrays.datasets.overwritten_blocks import overwritten
from dask_tapestry.operators.layouts.nominal_chunks import without_nominal_chunks

CELLS = np.arange(60.0).reshape(6, 10)
KEYS = [
    0,
    (2, 3),
    (slice(1, 5), slice(2, 9, 3)),
    (slice(None, None, -2), 4),
    (slice(4, 1, -1), slice(3, 7)),
    Ellipsis,
    (slice(3, 3), 0),
    (np.array([0, 5]), np.array([1, 1])),
    CELLS > 30,
    (slice(2, 4), np.array([1, 8])),
    -1,
]


def blocks(x):
    operator = without_nominal_chunks(x.node).operator
    keys = [k for k in operator.graph if k[0] == operator.key_name]
    return {key[1:]: id(operator.graph[key]) for key in keys}


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("lengths", [((6,), (10,)), ((2, 4), (3, 3, 4)), ((1,) * 6, (5, 5))])
def test_numpys_cells(key, lengths):
    x = dt.asarray(CELLS).rechunk(lengths).persist()
    expected = CELLS.copy()
    expected[key] = -1
    after = overwritten(x, key, -1)
    np.testing.assert_array_equal(after.compute(), expected)
    np.testing.assert_array_equal(x.compute(), CELLS)
    assert after.chunks == x.chunks
    np.testing.assert_array_equal((after + after[::-1]).compute(), expected + expected[::-1])


def test_only_blocks_that_a_box_meets_are_others():
    x = dt.asarray(CELLS).rechunk((2, 5)).persist()
    before = blocks(x)
    after = blocks(overwritten(x, (slice(1, 3), slice(6, 9)), 0))
    assert {index for index in before if before[index] != after[index]} == {(0, 1), (1, 1)}


def test_again_and_again():
    x, expected = dt.asarray(CELLS).rechunk((2, 5)).persist(), CELLS.copy()
    for n in range(6):
        x = overwritten(x, (n, slice(n, None)), n)
        expected[n, n:] = n
    np.testing.assert_array_equal(x.compute(), expected)


@given(st.data())
def test_any_box(data):
    shape = tuple(data.draw(st.lists(st.integers(0, 7), max_size=3)))
    dtype = data.draw(st.sampled_from(["int8", "float32", "complex128", "bool", "S3"]))
    cells = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    lengths = tuple(data.draw(st.integers(1, max(n, 1))) for n in shape)
    key = tuple(data.draw(st.slices(n) if n else st.just(slice(None))) for n in shape)
    values = np.arange(cells[key].size).reshape(cells[key].shape).astype(dtype)
    x = dt.asarray(cells).rechunk(lengths).persist()
    expected = cells.copy()
    expected[key] = values
    after = overwritten(x, key, values)
    np.testing.assert_array_equal(after.compute(), expected)
    assert after.dtype == cells.dtype


def test_values_that_are_arrays_of_ours():
    x = dt.asarray(CELLS).rechunk((2, 5)).persist()
    after = overwritten(x, slice(0, 2), dt.arange(10) * 2)
    np.testing.assert_array_equal(after[:2].compute(), np.tile(np.arange(10.0) * 2, (2, 1)))


def test_one_that_is_not_persisted():
    with pytest.raises(TypeError, match="is not persisted"):
        overwritten(dt.zeros(3), 0, 1)
