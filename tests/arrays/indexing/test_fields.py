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


INNER = [
    ("v", "f4", (2,)), ("m", "i2", (2, 3)), ("z", "u1", (0,)), ("r", [("p", "i4")]), ("a", "i4"),
]  # fmt: skip
GIVEN = {
    "v": (5, [1, 2], np.ones(2), np.ones((1, 2))), "m": (5, np.arange(6).reshape(2, 3), np.ones(3)),
    "z": (1, np.ones(0)), "r": ((3,),), "a": (1.5, "7", np.ones(1)),
}  # fmt: skip


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 1)], ids=str)
@pytest.mark.parametrize("name", list(GIVEN))
def test_a_field_of_any_kind_is_assigned(name, shape):
    for value in [*GIVEN[name], np.ones(shape, INNER)[name]]:
        x, y = dt.zeros(shape, dtype=INNER), np.zeros(shape, INNER)
        x[name] = y[name] = value
        made = x.compute()
        assert all(np.array_equal(made[n], y[n]) for n in y.dtype.names)
    with pytest.raises(ValueError, match="broadcast"):
        dt.zeros(shape, dtype=INNER)["v"] = np.ones(7)


@pytest.mark.parametrize(
    ("value", "error"),
    [(np.nan, ValueError), (1j, TypeError), (np.ma.masked_equal([1, 2, 1], 1), TypeError)],
)
def test_a_field_is_assigned_as_strictly_as_an_array(value, error):
    with pytest.raises(error):
        dt.zeros(3, dtype=INNER)["a"] = value


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
