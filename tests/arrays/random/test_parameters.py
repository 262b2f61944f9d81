import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.random.parameters import (
    integer_bounds,
    output_shape,
    probability_edges,
    real_interval,
)

I8 = np.dtype("i8")


@pytest.mark.parametrize(
    ("low", "high", "dtype", "endpoint", "least", "count"),
    [
        (5, None, "i8", False, 0, 5),
        (-(2**63), 2**63 - 1, "i8", True, -(2**63), 2**64),
        (0, 2**64, "u8", False, 0, 2**64),
        (0, 256, "u1", False, 0, 256),
        (0, 2, "?", False, 0, 2),
        (2.9, None, "i8", False, 0, 2),
    ],
)
def test_bounds_of_integers(low, high, dtype, endpoint, least, count):
    assert integer_bounds(low, high, np.dtype(dtype), endpoint) == (least, count)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((5, 5, I8, False), "low >= high"),
        ((5, 4, I8, True), "low > high"),
        ((0, None, I8, False), "low >= high"),
        ((0, 300, np.dtype("u1"), False), "high is out of bounds for uint8"),
        ((-1, 3, np.dtype("u1"), False), "low is out of bounds for uint8"),
        ((0, 2**64, I8, False), "high is out of bounds for int64"),
        (([0, 5], [4, 5], I8, False), "low >= high"),
        (([0, 5], 300, np.dtype("u1"), False), "high is out of bounds for uint8"),
        ((0, [np.nan], I8, False), "cannot convert float NaN to integer"),
        (("a", 3, I8, False), "invalid literal"),
    ],
)
def test_bounds_without_integers_between_them_are_refused(arguments, text):
    with pytest.raises(ValueError, match=text):
        integer_bounds(*arguments)


def test_bounds_are_integers():
    with pytest.raises(dt.DTypeError, match="bounds"):
        integer_bounds(0, dt.ones(3), I8, False)
    with pytest.raises(TypeError):
        integer_bounds(None, None, I8, False)
    with pytest.raises(dt.ShapeError):
        integer_bounds([0, 0], [1, 2, 3], I8, False)


@pytest.mark.parametrize("interval", [(1, 0), ([1, 2], [3, 1])])
def test_an_interval_does_not_run_backwards(interval):
    with pytest.raises(ValueError, match="high - low < 0"):
        real_interval(*interval)


@pytest.mark.parametrize("interval", [(0, np.inf), (-1e308, 1.5e308), (0, np.nan)])
def test_an_interval_is_finite(interval):
    with pytest.raises(OverflowError, match="range exceeds valid bounds"):
        real_interval(*interval)


def test_parameters_must_fit_the_size():
    row = dt.ones((3, 1)).node
    assert output_shape(None, row, dt.ones(4).node, 1.0) == (3, 4)
    assert output_shape((2, 3, 5), row) == (2, 3, 5)
    assert output_shape(None, 1.0) == ()
    for size in (2, (3, 1), (4, 2, 1)):
        with pytest.raises(dt.ShapeError):
            output_shape(size, dt.ones((3, 2, 3)).node)


DRAWS = {
    "poisson": lambda m, p, size: m.random.default_rng(0).poisson(p, size=size),
    "normal": lambda m, p, size: m.random.default_rng(0).normal(p, 1, size=size),
    "gamma": lambda m, p, size: m.random.default_rng(0).gamma(p, size=size, chunks=1),
    "binomial": lambda m, p, size: m.random.RandomState(0).binomial(5, p, size=size),
    "uniform": lambda m, p, size: m.random.RandomState(0).uniform(0, p, size=size),
    "triangular": lambda m, p, size: m.random.default_rng(0).triangular(0, p, 2, size=size),
    "module": lambda m, p, size: m.random.poisson(p, size=size),
}


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("size", [None, (), 1, 3, (1,), (2, 1), (1, 3), (4, 1, 1)])
def test_a_size_and_parameters_make_the_shape_together_as_in_dask(draw, size):
    cells = np.full((2, 3), 0.5)
    x = DRAWS[draw](dt, dt.asarray(cells), size)
    assert x.shape == DRAWS[draw](da, da.from_array(cells), size).shape
    assert x.compute().shape == x.shape


@pytest.mark.parametrize("size", [-1, (2, -3)])
def test_sizes_are_not_negative(size):
    with pytest.raises(ValueError, match="negative dimensions"):
        output_shape(size)


@pytest.mark.parametrize("size", [2.0, (2, "a"), "a"])
def test_sizes_are_integers(size):
    with pytest.raises(TypeError):
        output_shape(size)


def test_edges_of_probabilities():
    np.testing.assert_array_equal(probability_edges([0.25, 0.75], 2), [0.25, np.inf, np.inf])
    np.testing.assert_array_equal(probability_edges([1.0], 1), [np.inf])


@pytest.mark.parametrize(
    ("p", "text"),
    [
        ([1, 2, 3], "do not sum to 1"),
        ([0.5, 0.5], "same size"),
        ([-0.5, 0.5, 1], "not non-negative"),
        ([0.5, 0.5, np.nan], "contain NaN"),
        ([[1, 0, 0]], "1-dimensional"),
    ],
)
def test_probabilities_are_checked(p, text):
    with pytest.raises(ValueError, match=text):
        probability_edges(p, 3)
    with pytest.raises(dt.DTypeError, match="must be known"):
        probability_edges(dt.ones(3) / 3, 3)
