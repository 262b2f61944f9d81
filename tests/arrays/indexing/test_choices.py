import numpy as np
import pytest

import dask_tapestry as dt
from tests.comparisons import same_bits

pytestmark = pytest.mark.usefixtures("sync")
X = np.arange(24).reshape(2, 3, 4) * 7 % 11


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda xp, x: xp.select([x > 1], []), ValueError),
        (lambda xp, x: xp.select([], []), ValueError),
        (lambda xp, x: xp.select([x], [x]), TypeError),
        (lambda xp, x: xp.choose([3], [x, x]), ValueError),
        (lambda xp, x: xp.choose(x * 0.5, [x, x]), TypeError),
        (lambda xp, x: xp.choose(x.astype("m8[s]"), [x, x]), TypeError),
        (lambda xp, x: xp.take(x, x * 0.5), TypeError),
    ],
)
def test_errors_are_numpys(call, error):
    with pytest.raises(error):
        call(np, X)
    with pytest.raises(error):
        call(dt, dt.asarray(X))


@pytest.mark.parametrize("dtype", ["u8", "f8", "M8[s]"])
def test_numbers_of_choices_are_integers(dtype):
    number = np.array([0, 1]).astype(dtype)
    with pytest.raises(TypeError, match="cast"):
        np.choose(number, [1, 2])
    with pytest.raises(dt.DTypeError, match="cast safely"):
        dt.choose(dt.asarray(number), [1, 2])


def test_choose():
    choices = [X[0], X[1], 7]
    number = np.array([0, 1, 2, 1])
    for given in (number, dt.asarray(number)):
        assert same_bits(dt.choose(given, choices).compute(), np.choose(number, choices))
    assert same_bits(
        dt.choose(number + 5, choices, mode="wrap").compute(),
        np.choose(number + 5, choices, mode="wrap"),
    )


@pytest.mark.parametrize("number", [2, -1])
def test_numbers_out_of_bounds_are_an_error_of_values(number):
    for given in (np.array([0, number]), dt.arange(2) * number, [number, 0]):
        with pytest.raises(ValueError, match="invalid entry in choice array"):
            dt.choose(given, [1, 2]).compute()


@pytest.mark.parametrize("number", [0, True, 2.5, 1j, 300])
@pytest.mark.parametrize("kind", ["i1", "f2", "?", "c8"])
def test_python_numbers_take_the_dtype_of_the_other_choices(number, kind):
    places, cells = np.array([0, 1, 0]), np.ones(3, kind)
    made = dt.choose(dt.asarray(places), [number, dt.asarray(cells)])
    assert same_bits(made.compute(), np.choose(places, [number, cells]))


@pytest.mark.parametrize("default", [0, -1.5, np.arange(4)])
def test_select(default):
    x = dt.asarray(X)
    made = dt.select([x > 5, x < 2], [x, x * 0.5], default)
    assert same_bits(made.compute(), np.select([X > 5, X < 2], [X, X * 0.5], default))


def test_conditions_in_one_array():
    conditions, choices = np.eye(3, dtype=bool), np.arange(9).reshape(3, 3)
    made = dt.select(dt.from_array(conditions, chunks=2), dt.asarray(choices))
    np.testing.assert_array_equal(made, np.select(list(conditions), list(choices)))
