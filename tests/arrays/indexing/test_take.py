import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import same_bits

pytestmark = pytest.mark.usefixtures("sync")
X = np.arange(24).reshape(2, 3, 4) * 7 % 11


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("places", [1, [0, -1], [[0], [1]], [], np.array([True, False])])
def test_take(axis, places):
    assert same_bits(dt.take(dt.asarray(X), places, axis).compute(), np.take(X, places, axis))


@pytest.mark.parametrize("mode", ["wrap", "clip"])
@pytest.mark.parametrize("lazy", [False, True])
def test_places_out_of_bounds_can_mean_something(mode, lazy):
    places = np.array([7, -9, 2])
    given = dt.asarray(places) if lazy else places
    made = dt.take(dt.asarray(X), given, 1, mode=mode)
    assert same_bits(made.compute(), np.take(X, places, 1, mode=mode))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda xp, x: xp.take(x, [9], 0), IndexError),
        (lambda xp, x: xp.take(x, [0], 5), np.exceptions.AxisError),
        (lambda xp, x: xp.take(x, [0], mode="any"), ValueError),
        (lambda xp, x: xp.take(x[:0], [0], 0, mode="wrap"), IndexError),
        (lambda xp, x: xp.take(x, np.array([0.0])), TypeError),
        (lambda xp, x: xp.take_along_axis(x, np.array([0]), 1), ValueError),
        (lambda xp, x: xp.take_along_axis(x, np.zeros((1, 1, 1)), 1), IndexError),
        (lambda xp, x: xp.take_along_axis(x, np.full((2, 1, 4), 9), 1), IndexError),
        (lambda xp, x: xp.take_along_axis(x, np.zeros((2, 1, 3), int), 1), IndexError),
        (lambda xp, x: xp.take_along_axis(x, np.zeros((1, 1, 1), int), 4), ValueError),
    ],
)
def test_errors_are_numpys(call, error):
    with pytest.raises(error):
        call(np, X)
    with pytest.raises(error):
        call(dt, dt.asarray(X))


@pytest.mark.parametrize("mode", ["raise", "clip"])
@pytest.mark.parametrize(("shape", "axis"), [((0, 0), 1), ((0, 0, 2), 1), ((0, 3), 1), ((3, 0), 0)])
def test_nothing_is_taken_from_what_is_empty(shape, axis, mode):
    made = dt.take(dt.zeros(shape), [0, 1], axis, mode=mode)
    assert made.compute().shape == np.take(np.zeros(shape), [0, 1], axis, mode=mode).shape


@pytest.mark.parametrize("axis", [0, 1, -1, None])
@pytest.mark.parametrize("lazy", [False, True])
def test_cells_along_an_axis(axis, lazy):
    order = np.argsort(X, axis=axis)
    given = dt.asarray(order) if lazy else order
    x = dt.asarray(X).rechunk(2)
    made = dt.take_along_axis(x, given, axis)
    assert same_bits(made.compute(), np.take_along_axis(X, order, axis))
    copy = X.copy()
    np.put_along_axis(copy, order[:1], -1, axis)
    y = dt.asarray(X)
    dt.put_along_axis(y, given[:1], -1, axis)
    assert same_bits(y.compute(), copy)


def test_numpy_dispatches():
    x = dt.asarray(X)
    assert isinstance(np.take(x, [0]), dt.Array)
    assert same_bits(np.take_along_axis(x, np.argsort(X, 0), 0).compute(), np.sort(X, 0))
