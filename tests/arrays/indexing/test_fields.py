import numpy as np
import pytest

import dask_tapestry as dt

KIND = np.dtype([("a", "i4"), ("b", "f8"), ("v", "i2", (3,))])
CELLS = np.zeros((3, 4), KIND)
CELLS["a"] = np.arange(12).reshape(3, 4)
CELLS["v"] = np.arange(36).reshape(3, 4, 3)


@pytest.mark.parametrize("key", ["a", "v", ["a"], ["b", "a"]])
def test_fields_by_name(key):
    made = dt.asarray(CELLS)[1:][key]
    wanted = CELLS[1:][key]
    assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
    assert np.array_equal(made.compute(), wanted)


def test_a_field_is_assigned():
    x, y = dt.asarray(CELLS), CELLS.copy()
    x["a"] = [7, 8, 9, 10]
    y["a"] = [7, 8, 9, 10]
    assert np.array_equal(x.compute(), y)
    with pytest.raises(IndexError, match="one by one"):
        x[["a", "b"]] = 1


@pytest.mark.parametrize("key", ["z", ["a", "z"]])
def test_unknown_names(key):
    with pytest.raises(dt.ArgumentError, match="no field of name z; there are a, b, v"):
        dt.asarray(CELLS)[key]
    with pytest.raises(IndexError, match="only integers"):
        dt.ones(3)[key]
    with pytest.raises(dt.ArgumentError, match="no field"):
        dt.asarray(CELLS)["z"] = 1


def test_structured_cells_are_equal_by_their_fields():
    x, one = dt.asarray(CELLS), CELLS[1, 1]
    assert np.array_equal((x == one).compute(), one == CELLS)
    assert np.array_equal((x != CELLS[::-1]).compute(), CELLS[::-1] != CELLS)
    assert bool(dt.array_equal(x, CELLS))
