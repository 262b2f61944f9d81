import math

import numpy as np
import pytest

from .oracle import DIGITS, around, patterns, rises, same_ends, spread, values, worst, worst_f32

LARGEST = np.finfo("f8").max


def pairs(most=1024.0, near=52):
    """Bases and exponents with results of every size, bases near 1 among them."""
    rng = np.random.default_rng(3)
    x = np.exp2(rng.uniform(-most, most, 2000))
    x[::2] = 1 + rng.choice([-1, 1], 1000) * np.exp2(-rng.uniform(1, near, 1000))
    return x, rng.uniform(-1.06 * most, 1.02 * most, 2000) / np.log2(x)


def test_powers_are_within_an_ulp_of_the_true_value():
    x, y = pairs()
    edge = around(np.sqrt(0.5), np.sqrt(2), 1.0, count=20)
    x = np.concatenate([x, np.abs(edge), np.full(400, 2.0), np.full(400, 10.0)])
    ends = np.concatenate([np.full(edge.size, 700.1), np.linspace(-1075, -1020, 400)])
    y = np.concatenate([y, ends, np.linspace(-324, -300, 400)])
    keep = x > 0
    assert worst("power", DIGITS.power, x[keep], y[keep]) <= 1.0


def test_powers_of_negative_numbers_take_whole_exponents():
    rng = np.random.default_rng(3)
    x, y = -rng.uniform(0.5, 2, 1000), np.round(rng.uniform(-900, 900, 1000))
    assert worst("power", DIGITS.power, x, y) <= 1.0
    assert np.isnan(values("power", x, y + 0.5)).all()


def test_small_whole_powers_are_exact():
    x, y = (a.ravel() for a in np.meshgrid(np.arange(-30.0, 31), np.arange(1.0, 11)))
    assert np.array_equal(values("power", x, y), x**y)
    assert np.array_equal(values("power", x * x, np.full_like(x, 0.5)), np.abs(x))


def test_powers_of_float32_are_within_an_ulp():
    x = patterns(9973)
    y = np.random.default_rng(3).permutation(x)
    assert worst_f32("power", np.power, x, y) <= 1.0
    x, y = (a.astype(np.float32) for a in pairs(128.0, 20))
    assert worst_f32("power", np.power, x[x > 0], y[x > 0]) <= 1.0


@pytest.mark.parametrize("name", ["power", "float_power", "cbrt", "hypot"])
def test_special_cells_are_numpys(name):
    same_ends(name, getattr(np, name))


def test_powers_follow_the_rules_of_c():
    cells = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 2.0**53, 2.0**53 - 1, 1e300, np.inf, np.nan]
    cells = np.array([*cells, *(-cell for cell in cells)])
    x, y = (a.ravel() for a in np.meshgrid(cells, cells))
    for base, exponent, got in zip(
        *(a.tolist() for a in (x, y, values("power", x, y))), strict=True
    ):
        try:
            want = math.pow(base, exponent)
        except OverflowError:
            want = math.inf if base > 0 or exponent % 2 == 0 else -math.inf
        except ValueError:  # 0 to a power below 0, or a root of a negative number
            odd = exponent % 2 == 1
            want = math.copysign(math.inf, base if odd else 1.0) if base == 0 else math.nan
        same = math.isnan(got) if math.isnan(want) else math.isclose(got, want, rel_tol=3e-16)
        assert same, (base, exponent, got, want)
        assert math.isnan(want) or math.copysign(1, got) == math.copysign(1, want)


def test_cube_roots_are_within_an_ulp_of_the_true_value():
    x = np.concatenate(
        [spread(-LARGEST, LARGEST), around(1.0, 8.0, 64.0, 2.0**-1022, 5e-324, 1e-310)]
    )
    x = x[~np.isnan(x)]
    assert worst("cbrt", lambda v: DIGITS.cbrt(abs(v)) * (1 if v > 0 else -1), x) <= 1.0
    n = np.arange(-50.0, 51)
    assert np.array_equal(values("cbrt", n**3), n)
    assert worst_f32("cbrt", np.cbrt, patterns()) <= 1.0
    assert rises("cbrt", 8 - 1e-9, 8 + 1e-9)


def test_hypotenuses_are_within_an_ulp_of_the_true_value():
    x = np.concatenate([spread(-LARGEST, LARGEST), spread(-1e-300, 1e-300), spread(-3.0, 3.0)])
    x = np.concatenate([x, around(2.0**510, 2.0**-450, count=10)])
    y = np.random.default_rng(3).permutation(x)
    x, y = np.concatenate([x, x]), np.concatenate([y, x / 1.2])
    assert worst("hypot", DIGITS.hypot, x, y) <= 1.0
    x = patterns(9973)
    assert worst_f32("hypot", np.hypot, x, np.random.default_rng(3).permutation(x)) <= 1.0
    assert values("hypot", np.array([3.0]), np.array([-4.0]))[0] == 5.0
