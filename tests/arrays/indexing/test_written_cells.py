import numpy as np
import pytest

import dask_tapestry as dt

X = np.arange(12.0).reshape(3, 4)
ARRAYS = [X, X.astype("i2"), np.zeros((0, 3)), np.array(3.0)]
VALUES = [5, [1, 2, 3], np.array([1.5, 2.5]), np.array([1, 2], "i1"), np.arange(20), [], 2.7]
WRITES = {
    "put": lambda xp, a, v: xp.put(a, [0, 2, -1], v),
    "method": lambda xp, a, v: a.put([0, -1], v),
    "wrap": lambda xp, a, v: xp.put(a, [1, 1, 50], v, mode="wrap"),
    "clip": lambda xp, a, v: xp.put(a, [[1, 50]], v, mode="clip"),
    "raise": lambda xp, a, v: xp.put(a, [1, 50], v),
    "nowhere": lambda xp, a, v: xp.put(a, np.array([], int), v),
    "putmask": lambda xp, a, v: xp.putmask(a, a % 2 == 0, v),
    "size": lambda xp, a, v: xp.putmask(a, [True, False], v),
    "place": lambda xp, a, v: xp.place(a, a % 2 == 0, v),
    "copyto": lambda xp, a, v: xp.copyto(a, v),
    "copyto where": lambda xp, a, v: xp.copyto(a, v, where=a % 2 == 0),
    "copyto never": lambda xp, a, v: xp.copyto(a, v, where=False),
    "copyto unsafe": lambda xp, a, v: xp.copyto(a, v, casting="unsafe"),
}


def outcome(write, xp, a, v):
    """What the array is after a write, or the error."""
    try:
        write(xp, a, v)
        return np.asarray(a)
    except (IndexError, TypeError, ValueError) as error:
        return error


def agree(found, expected):
    if isinstance(expected, Exception):
        assert isinstance(found, IndexError if isinstance(expected, IndexError) else Exception)
        assert not isinstance(found, np.ndarray)
        return
    assert not isinstance(found, Exception), found
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("values", VALUES, ids=str)
@pytest.mark.parametrize("cells", ARRAYS, ids=lambda x: f"{x.dtype}{x.shape}")
def test_writes_are_numpys(name, cells, values):
    expected = outcome(WRITES[name], np, cells.copy(), values)
    given = dt.asarray(values) if isinstance(values, np.ndarray) else values
    agree(outcome(WRITES[name], dt, dt.asarray(cells.copy()), given), expected)


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (7, 3), (3, 3, 3), (2, 3, 4), (3,), (0, 3)])
@pytest.mark.parametrize("values", [5, [1.7, 2.2, 3.9], np.arange(20)], ids=str)
@pytest.mark.parametrize("wrap", [False, True])
def test_diagonals_are_filled_as_numpys(shape, values, wrap):
    def write(xp, a, v):
        xp.fill_diagonal(a, v, wrap)

    for dtype in ("f8", "i4"):
        expected = outcome(write, np, np.zeros(shape, dtype), values)
        agree(outcome(write, dt, dt.zeros(shape, dtype), values), expected)


def test_places_that_are_computed():
    x = dt.zeros(6)
    dt.put(x, dt.arange(3) * 2, dt.arange(2) + 1)
    assert x.compute().tolist() == [1, 0, 2, 0, 1, 0]
    y = x.copy()
    y.fill(4)
    assert y.compute().tolist() == [4] * 6
    assert x.compute()[0] == 1
    with pytest.raises(ValueError, match="sequence"):
        y.fill([1, 2])


@pytest.mark.parametrize("name", ["put", "putmask", "place", "copyto", "fill_diagonal"])
def test_numpys_arrays_are_not_written(name):
    arguments = {"copyto": (np.ones((2, 2)),), "fill_diagonal": (3,)}
    with pytest.raises(TypeError, match="writes to its first argument now"):
        getattr(dt, name)(np.zeros((2, 2)), *arguments.get(name, ([0, 0, 0, 1], [1])))
