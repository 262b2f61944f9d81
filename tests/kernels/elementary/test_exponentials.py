import mpmath
import numpy as np
import pytest

from .oracle import DIGITS, around, patterns, rises, same_ends, spread, values, worst, worst_f32

TRUE = {"exp": DIGITS.exp, "exp2": lambda x: DIGITS.power(2, x), "expm1": DIGITS.expm1}
LEAST = {"exp": -746.0, "exp2": -1076.0, "expm1": -60.0}
MOST = {"exp": 710.0, "exp2": 1025.0, "expm1": 710.0}
HALF = np.log(2) / 2  # where the number that is taken out of the argument changes


@pytest.mark.parametrize("name", TRUE)
def test_it_is_within_an_ulp_of_the_true_value(name):
    low, high = LEAST[name], MOST[name]
    points = [0.5, 1.5, 20.5] if name == "exp2" else [HALF, 3 * HALF, 41 * HALF]
    near = around(*points, 2.0**-54, 2.0**-30)
    subnormal = np.linspace(-1075, -1020, 300) * (1 if name == "exp2" else np.log(2))
    x = np.concatenate([spread(low, high), near, subnormal])
    assert worst(name, TRUE[name], x) <= 1.1


@pytest.mark.parametrize("name", TRUE)
def test_overflow_and_underflow_are_where_they_should_be(name):
    ends = [
        np.log(np.finfo("f8").max),
        -np.log(2) * 1074,
        -np.log(2) * 1075,
        1024.0,
        1074.0,
        1075.0,
    ]
    x = around(*map(abs, ends))
    assert worst(name, TRUE[name], x[np.abs(x) < 1e4]) <= 1.1


@pytest.mark.parametrize("name", TRUE)
def test_float32_is_within_two_ulp(name):
    assert worst_f32(name, getattr(np, name), patterns()) <= 1.1


@pytest.mark.parametrize("name", TRUE)
def test_special_cells_are_numpys(name):
    same_ends(name, getattr(np, name))


@pytest.mark.parametrize("name", TRUE)
def test_it_rises(name):
    assert rises(name, HALF - 1e-9, HALF + 1e-9)
    assert rises(name, -700.0, 700.0)


def test_powers_of_two_are_exact():
    n = np.arange(-1074.0, 1024.0)
    assert np.array_equal(values("exp2", n), np.ldexp(1.0, n.astype(int)))
    assert mpmath.mpf(2) ** -1074 == values("exp2", np.array([-1074.0]))[0]
