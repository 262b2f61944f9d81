import numpy as np
import pytest

import dask_tapestry as dt

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("power", [0, 1, 2, 3, 7, 10])
def test_powers_are_numpys(power):
    x = RANDOM.integers(-2, 3, (2, 3, 3))
    made = np.linalg.matrix_power(dt.asarray(x), power)
    assert np.array_equal(made.compute(), np.linalg.matrix_power(x, power))


def test_negative_powers_are_those_of_inverses():
    x = RANDOM.normal(size=(2, 3, 3))
    found = dt.linalg.matrix_power(x, -2).compute()
    np.testing.assert_allclose(found, np.linalg.matrix_power(x, -2))


def test_powers_that_are_refused():
    for shape in ((3,), (2, 3)):
        with pytest.raises(np.linalg.LinAlgError):
            dt.linalg.matrix_power(np.ones(shape), 2)
    with pytest.raises(TypeError, match="integer"):
        dt.linalg.matrix_power(np.ones((2, 2)), 2.0)


@pytest.mark.parametrize(
    "shapes",
    [
        ((2, 3), (3, 4)),
        ((10, 2), (2, 30), (30, 1), (1, 5)),
        ((3,), (3, 4), (4,)),
        ((3,), (3, 4), (4, 2)),
        ((2, 0), (0, 3), (3, 1)),
    ],
)
def test_chains_are_numpys(shapes):
    xs = [RANDOM.normal(size=shape) for shape in shapes]
    made = dt.linalg.multi_dot(xs)
    np.testing.assert_allclose(made.compute(), np.linalg.multi_dot(xs), rtol=1e-12, atol=1e-12)


def test_the_cheapest_order_is_taken():
    """Nothing as large as the product of the first two is made."""
    chain = dt.linalg.multi_dot([dt.ones((1000, 1)), dt.ones((1, 1000)), dt.ones((1000, 1))])
    assert "[1000, 1000]" not in str(chain.teg)


def test_chains_that_are_refused():
    with pytest.raises(dt.ShapeError, match="at least two"):
        dt.linalg.multi_dot([np.ones((2, 2))])
    for shapes in (((2, 3), (3,), (3, 2)), ((2, 2, 2), (2, 2), (2, 2))):
        with pytest.raises(np.linalg.LinAlgError, match="two-dimensional"):
            dt.linalg.multi_dot([np.ones(s) for s in shapes])
    with pytest.raises(dt.ShapeError, match="not aligned"):
        dt.linalg.multi_dot([np.ones((2, 3)), np.ones((2, 3))])
    out = dt.zeros((2, 2))
    assert dt.linalg.multi_dot([np.ones((2, 2))] * 3, out=out) is out
