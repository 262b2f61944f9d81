import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.indexing.dimension_numbers import DimensionNumbers
from dask_tapestry.operators.indexing.rows_of_cells import CountedFromStart, RowsOfCells

# Points of the first and last dimension; the middle one is a window, axis 1 of the cells.
POINTS = RowsOfCells(DimensionNumbers((1,), (0, 2), (), (), (2, 0), 1), (3, 4, 5), (0, 2))
X = np.arange(60).reshape(3, 4, 5)


def value(node):
    return dt.Array(node).compute()


def test_the_operand_as_rows():
    rows = POINTS.table(dt.asarray(X).node)
    np.testing.assert_array_equal(value(rows), X.transpose(0, 2, 1).reshape(15, 4))
    np.testing.assert_array_equal(value(POINTS.from_table(rows)), X)


def test_cells_as_rows():
    cells = np.arange(8).reshape(2, 4)
    rows = POINTS.cells(dt.asarray(cells).node)
    assert rows.type.shape == (2, 4)
    np.testing.assert_array_equal(value(POINTS.from_rows(rows, (2, 4))), cells)


@pytest.mark.parametrize("dtype", ["i1", "u1", "u8", "i8"])
def test_places(dtype):
    indices = np.array([[4, 2], [0, 1], [100, 0], [2, 3]]).astype(dtype)
    node = dt.asarray(indices).node
    assert value(POINTS.places(node, "drop")).tolist() == [14, 5, -1, -1]
    assert value(POINTS.places(node, "nearest")).tolist() == [14, 5, 4, 12]


def test_places_below_zero():
    node = dt.asarray([[-1, 2], [0, -9]]).node
    assert value(POINTS.places(node, "drop")).tolist() == [-1, -1]
    assert value(POINTS.places(node, "nearest")).tolist() == [10, 0]
    assert value(POINTS.places(dt.asarray([[-1, 2], [0, -3]]).node, "refuse")).tolist() == [14, 0]
    with pytest.raises(IndexError, match="index -9 is out of bounds for axis 0 with size 3"):
        value(POINTS.places(node, "refuse"))


def test_indices_that_are_one_number():
    rows = RowsOfCells(DimensionNumbers((1,), (0,), (), (), (0,), 2), (200, 4), (0,))
    node = dt.asarray(np.array([[3, 127], [0, -1]], "i1")).node
    assert value(rows.places(node, "nearest")).tolist() == [3, 127, 0, 0]


def test_indices_are_counted_from_the_start():
    counted = CountedFromStart(4, 0)
    np.testing.assert_array_equal(counted(np.array([-4, 3, 0], "i1")), [0, 3, 0])
    assert counted(np.zeros(0, "u1")).dtype == np.int64
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        counted(np.array([4]))
