import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed, refused

X = np.linspace(-2, 3, 12).reshape(3, 4)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, x: np.piecewise(x, [x < 0, x >= 1], [-1, 1]),
        lambda np, x: np.piecewise(x, [x < 0, x >= 1], [lambda c: -c, lambda c: c * 2, 5]),
        lambda np, x: np.piecewise(x[0], x[0] > 0, [lambda c, k, b=0: c * k + b], 3, b=1),
        lambda np, x: np.piecewise(x, [x > -9, x > 0], [1, 2]),
        lambda np, x: np.piecewise(x[0, 0], [True, False], [7, 8]),
        lambda np, x: np.piecewise(x, [[[True] * 4] * 3], [9]),
    ],
)
def test_functions_where_conditions_hold(call):
    agreed(lambda np, a: call(np, a(X)))


def test_blocks_give_the_same():
    x = dt.from_array(X, chunks=(1, 2)).rechunk((1, 2))
    assert np.array_equal(
        np.piecewise(x, [x < 0], [lambda c: -c, 1]).compute(),
        np.piecewise(X, [X < 0], [lambda c: -c, 1]),
    )


def test_too_few_functions():
    refused(lambda np, a: np.piecewise(a(X), [X < 0, X > 1], [1]))


def test_a_condition_has_the_first_dimensions_of_the_cells():
    x, rows = np.arange(9.0).reshape(3, 3), np.array([True, False, True])
    expected = np.piecewise(x, [rows], [1, 7])
    np.testing.assert_array_equal(dt.piecewise(x, [rows], [1, 7]).compute(), expected)
