"""Writes into parts that nobody reads are told, at the line that wrote; others are not."""

import gc
import warnings

import numpy as np
import pytest

import dask_tapestry as dt


def row_by_row(x):
    for row in x:
        row += 1


def one_cell_of_a_row(x):
    x[0][1] = 5


def a_row_of_the_transpose(x):
    x.T[0] = 5


def a_cell_of_the_flat_array(x):
    x.reshape(-1)[2] = 9


def sorted_backwards(x):
    x[::-1].sort(axis=0)


def a_sum_into_a_row(x):
    np.add(x[0], 1, out=x[0])


def a_reduction_into_a_row(x):
    x.sum(axis=0, out=x[0])


def counts_in_a_row(x):
    dt.add.at(x[0], [0, 0], 1)


def a_row_by_name(x):
    row = x[0]
    row[1] = 7
    row[2] = 8


def a_cell_of_the_imaginary_part(x):
    z = x + 1j
    z.imag[0] = 5
    z.compute()


def a_cell_of_a_view(x):
    x.view()[0, 1] = 5


def a_cell_of_a_view_of_bytes(x):
    x.view("i8")[0, 1] = 5


def all_of_a_whole_part(x):
    y = x[...]
    y[0] = 5


def all_of_whole_slices(x):
    x[:, :][:] = 5


def a_shape_that_stays(x):
    x.reshape(3, 4)[0] = 5


def nothing_to_squeeze(x):
    x.squeeze()[0] = 5


def axes_that_stay(x):
    x.transpose(0, 1)[0] = 5


def a_field(x):
    z = dt.asarray(np.zeros(3, [("a", "i4"), ("b", "f8")]))
    z["a"][0] = 5


LOST = (
    row_by_row, one_cell_of_a_row, a_row_of_the_transpose, a_cell_of_the_flat_array,
    sorted_backwards, a_sum_into_a_row, a_reduction_into_a_row, counts_in_a_row, a_row_by_name,
    a_cell_of_the_imaginary_part, a_cell_of_a_view, a_cell_of_a_view_of_bytes, all_of_a_whole_part,
    all_of_whole_slices, a_shape_that_stays, nothing_to_squeeze, axes_that_stay, a_field,
)  # fmt: skip


def in_one_key(x):
    x[0, 1] = 5
    x[0] += 1
    x[::2] *= 2


def a_row_that_is_read(x):
    row = x[0]
    row += 1
    x[1] = row


def a_row_that_is_shown(x):
    row = x[0]
    row[1] = 5
    repr(row)


def a_copy(x):
    row = x[0].copy()
    row[1] = 5


def an_array_that_is_no_part(x):
    y = x + 1
    y[0] = 3


def a_whole_part_that_is_read(x):
    y = x[...]
    y[0] = 5
    y.compute()


def a_copy_of_a_view(x):
    y = x.view().copy()
    y[0] = 5


def the_array_of_which_a_view_was_taken(x):
    y = x[...]
    x[0] = 5
    y.compute()


def rows_swapped(x):
    x[0], x[1] = x[1], x[0]


def hidden_cells(x):
    y = dt.ma.masked_array(x)[1:]
    y[0] = np.ma.masked
    y.data.compute()


def parts_assigned(x):
    z = x + 1j
    z.imag = 0
    z.real += 2
    z.compute()


KEPT = (
    in_one_key, a_row_that_is_read, a_row_that_is_shown, a_copy, an_array_that_is_no_part,
    a_whole_part_that_is_read, a_copy_of_a_view, the_array_of_which_a_view_was_taken,
    rows_swapped, hidden_cells, parts_assigned,
)  # fmt: skip


def cells():
    return dt.asarray(np.arange(12.0).reshape(3, 4))


@pytest.mark.parametrize("wrote", LOST, ids=lambda f: f.__name__)
def test_a_lost_write_is_told_at_the_line_that_wrote(wrote):
    x = cells()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        wrote(x)
        gc.collect()
    assert told
    for one in told:
        assert "the change is lost" in str(one.message)
        assert one.filename == __file__
        assert wrote.__code__.co_firstlineno < one.lineno <= wrote.__code__.co_firstlineno + 3
    assert np.array_equal(x, np.arange(12.0).reshape(3, 4))


@pytest.mark.parametrize("wrote", KEPT, ids=lambda f: f.__name__)
def test_what_is_read_is_not_told(wrote):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        wrote(cells())
        gc.collect()
    assert not told


def test_in_a_loop_a_line_is_told_once():
    x = cells()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("default")
        for i in range(3):
            x[i][0] = 1
    assert len(told) == 1


def test_a_part_has_the_value_that_was_written():
    row = cells()[1]
    row[1] = 7
    row += 1
    assert row.compute().tolist() == [5, 8, 7, 8]
    assert row.shape == (4,)
