import numpy as np
import pytest

from .oracle import DIGITS, around, patterns, rises, same_ends, spread, values, worst, worst_f32

TRUE = {"sin": DIGITS.sin, "cos": DIGITS.cos, "tan": DIGITS.tan}
LIMIT = {"sin": 1.0, "cos": 1.0, "tan": 1.1}
LARGEST = np.finfo("f8").max
# Nearest of all float64 to a multiple of pi / 2.
HARDEST = np.ldexp(6381956970095103.0, 797)


@pytest.mark.parametrize("name", TRUE)
def test_it_is_within_about_an_ulp_of_the_true_value(name):
    multiples = np.concatenate([np.arange(1, 200), 2 ** np.arange(8, 40)]) * (np.pi / 2)
    switches = around(np.pi / 4, 2.0**30, HARDEST, LARGEST / 2, count=20)
    x = np.concatenate([spread(-LARGEST, LARGEST), spread(-100.0, 100.0), multiples, switches])
    assert worst(name, TRUE[name], x) <= LIMIT[name]


@pytest.mark.parametrize("name", TRUE)
def test_float32_is_within_two_ulp(name):
    assert worst_f32(name, getattr(np, name), patterns()) <= 1.6


@pytest.mark.parametrize("name", TRUE)
def test_float32_near_multiples_of_half_pi(name):
    x = (np.arange(1, 200_000) * (np.pi / 2)).astype(np.float32)
    assert worst_f32(name, getattr(np, name), np.concatenate([x, -x])) <= 1.6


@pytest.mark.parametrize("name", TRUE)
def test_special_cells_are_numpys(name):
    same_ends(name, getattr(np, name))


def test_they_are_monotonic_about_an_eighth_of_a_turn():
    low, high = np.pi / 4 - 1e-9, np.pi / 4 + 1e-9
    assert rises("sin", low, high)
    assert rises("cos", low, high, falling=True)
    assert rises("tan", low, high)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sines_are_odd_and_cosines_even(dtype):
    x = np.concatenate([spread(-1e300, 1e300), np.linspace(-1e4, 1e4, 999)])
    with np.errstate(over="ignore"):
        x = x.astype(dtype)
    assert np.array_equal(values("sin", -x), -values("sin", x), equal_nan=True)
    assert np.array_equal(values("cos", -x), values("cos", x), equal_nan=True)
