import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.io.sources.numpy_source import constant, from_numpy, table
from dask_tapestry.io.tuning import HASHED_BYTES
from dask_tapestry.zspace import ZRange


def test_cells_are_not_copied():
    data = np.arange(6).reshape(2, 3)
    source = from_numpy(data).operator
    assert source.data is data
    assert np.shares_memory(source.read(ZRange((0, 1), (2, 2))), data)
    assert source.reference() is data


def test_two_arrays_of_equal_cells_are_two_values():
    data = np.arange(6)
    assert from_numpy(data) is not from_numpy(data)


@pytest.mark.parametrize("data", [3, 2.5, [1, 2], [[1.0], [2.0]], (), np.float32(1)])
def test_what_numpy_takes_is_taken(data):
    node = from_numpy(data)
    expected = np.asarray(data)
    assert (node.type.shape, node.type.dtype) == (expected.shape, expected.dtype)


def test_cells_come_in_the_byte_order_of_this_machine():
    data = np.arange(5, dtype=">i4")
    x = dt.asarray(data)
    assert x.dtype == np.dtype("i4")
    assert x.dtype.isnative
    np.testing.assert_array_equal(x.compute(), data)


@pytest.mark.parametrize("order", ["C", "F"])
def test_strided_and_fortran_arrays(order):
    data = np.asarray(np.arange(24).reshape(4, 6), order=order)[::-2, ::3]
    np.testing.assert_array_equal((dt.asarray(data) + 1).compute(), data + 1)


def test_python_objects_are_cells_but_no_fields():
    one = object()
    assert dt.Array(from_numpy(np.array([one]))).compute().tolist() == [one]
    with pytest.raises(dt.DTypeError, match="Python objects"):
        from_numpy(np.zeros(2, [("a", object)]))


def test_ragged_lists_are_refused():
    with pytest.raises(dt.ArgumentError, match="not an array"):
        from_numpy([[1, 2], [3]])


def test_dimension_names_must_be_as_many_as_dimensions():
    assert from_numpy(np.ones((2, 3)), ("a", "b")).type.dims == ("a", "b")
    with pytest.raises(dt.ShapeError, match="dimension names"):
        from_numpy(np.ones((2, 3)), ("a",))


def test_numbers_of_a_program_are_one_value_each_time():
    assert from_numpy([1, 2, 3]) is from_numpy([1, 2, 3])
    assert from_numpy([1, 2, 3]) is not from_numpy([1.0, 2.0, 3.0])
    assert from_numpy([1, 2]) is not from_numpy([[1, 2]])
    assert from_numpy(np.arange(3)) is not from_numpy(np.arange(3))
    assert from_numpy(list(range(HASHED_BYTES))) is not from_numpy(list(range(HASHED_BYTES)))


def test_a_constant_is_what_an_array_was():
    places = np.array([2, 0])
    held = constant(places)
    assert held is constant(np.array([2, 0]))
    places[0] = 1
    assert held.operator.data.tolist() == [2, 0]
    assert constant(places) is not held


def test_tables_are_known_by_their_cells_however_many_and_so_are_their_slots():
    cells = np.zeros(HASHED_BYTES)
    held = table(cells)
    assert held is table(cells.copy())
    assert table(cells + 1) is not held
    assert held.operator.slot(3).is_table
    assert not constant(cells).operator.slot(3).is_table
    cells[0] = 1
    assert not held.operator.data.any()


def test_large_constants_are_not_copied():
    cells = np.zeros(HASHED_BYTES)
    assert constant(cells).operator.data is cells
