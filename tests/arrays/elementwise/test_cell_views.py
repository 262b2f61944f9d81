import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.parametrize("into", ["u1", "f4", "c16", "V", "M8[s]", [("x", "i4"), ("y", "f4")]])
def test_views_are_those_of_numpy(into):
    cells = np.arange(24.0).reshape(4, 6)
    made, wanted = dt.asarray(cells).view(into), cells.view(into)
    assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
    assert made.compute().tobytes() == wanted.tobytes() == made.tobytes()


def test_a_view_is_a_value():
    x = dt.ones(3)
    y = x.view()
    y[0] = 7
    assert y.compute().tolist() == [7, 1, 1]
    assert x.compute().tolist() == [1, 1, 1]
    with pytest.raises(dt.ArgumentError, match="'C' or 'F'"):
        x.view("i8", order="A")
    with pytest.raises(dt.DTypeError, match="lie outside of their arrays"):
        x.view(object)


def test_a_view_of_cells_that_are_not_counted_counts_none():
    x = dt.arange(6)
    chosen = x[x > dt.asarray(3)].view()
    assert chosen.deferred is not None
    assert chosen.compute().tolist() == [4, 5]


def test_views_along_the_first_axis():
    cells = np.asfortranarray(np.arange(16).reshape(4, 4))
    made = dt.asarray(cells).view("i4", order="F")
    np.testing.assert_array_equal(made, cells.T.view("i4").T)


def test_bytes_in_either_order():
    cells = np.arange(6).reshape(2, 3)
    for order in "CFA":
        assert dt.asarray(cells).tobytes(order) == cells.tobytes(order)
