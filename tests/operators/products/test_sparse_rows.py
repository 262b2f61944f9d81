import numpy as np
import pytest
import scipy.sparse

from dask_tapestry.errors import ArgumentError, ShapeError
from dask_tapestry.operators.products.sparse_rows import rows_of_cells, rows_of_csr

RANDOM = np.random.default_rng(0)


def dense(rows):
    made = np.zeros(rows.shape, rows.values.dtype)
    at = np.repeat(np.arange(rows.shape[0]), np.diff(rows.starts))
    made[at, rows.columns] = rows.values
    return made


@pytest.mark.parametrize("dtype", ["?", "i1", "f4", "c16"])
def test_cells_come_by_row_and_column_and_those_of_one_place_are_added(dtype):
    values = RANDOM.integers(0, 9, 400).astype(dtype)
    at, columns = RANDOM.integers(0, 30, 400), RANDOM.integers(0, 20, 400)
    found = rows_of_cells(values, at, columns, (30, 20))
    expected = scipy.sparse.coo_array((values, (at, columns)), shape=(30, 20)).toarray()
    np.testing.assert_array_equal(dense(found), expected)
    order = np.repeat(np.arange(30), np.diff(found.starts)) * 20 + found.columns
    assert (np.diff(order) > 0).all()
    assert (found.columns.dtype, found.starts.dtype) == (np.int32, np.int64)


def test_compressed_rows_in_order_are_taken_as_they_are():
    matrix = scipy.sparse.random_array((30, 20), density=0.2, rng=RANDOM, format="csr")
    matrix.sort_indices()
    found = rows_of_csr(matrix.data, matrix.indices, matrix.indptr, matrix.shape)
    assert np.shares_memory(found.values, matrix.data)
    np.testing.assert_array_equal(dense(found), matrix.toarray())


def test_compressed_rows_in_no_order_and_with_spare_cells_are_put_in_order():
    values, columns = np.array([1, 2, 3, 4, 99]), np.array([2, 0, 1, 1, 7])
    found = rows_of_csr(values, columns, np.array([0, 0, 2, 4, 4]), (4, 3))
    np.testing.assert_array_equal(dense(found), [[0, 0, 0], [2, 0, 1], [0, 7, 0], [0, 0, 0]])
    assert found.starts.tolist() == [0, 0, 2, 3, 3]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_nothing_is_written_out(shape):
    none = np.empty(0, int)
    for found in (
        rows_of_cells(none * 1.0, none, none, shape),
        rows_of_csr(none * 1.0, none, np.zeros(shape[0] + 1, int), shape),
    ):
        assert dense(found).shape == shape
        assert found.starts.size == shape[0] + 1


def test_zeros_that_are_written_out_stay():
    found = rows_of_cells(np.zeros(2), np.array([0, 1]), np.array([1, 0]), (2, 2))
    assert found.values.size == 2


def test_cells_that_do_not_fit_are_refused():
    two = np.arange(2)
    with pytest.raises(ShapeError, match="2 values, 2 rows and 3 columns"):
        rows_of_cells(two, two, np.arange(3), (9, 9))
    with pytest.raises(ShapeError, match="vectors"):
        rows_of_cells(two[None], two, two, (9, 9))
    with pytest.raises(ArgumentError, match="a column of sparse weights lies outside"):
        rows_of_cells(two, two, two + 8, (9, 9))
    with pytest.raises(ArgumentError, match="a row of sparse weights lies outside"):
        rows_of_cells(two, two - 1, two, (9, 9))
