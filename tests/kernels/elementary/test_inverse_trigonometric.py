import numpy as np
import pytest

from .oracle import DIGITS, around, patterns, rises, same_ends, spread, values, worst, worst_f32

TRUE = {"arcsin": DIGITS.asin, "arccos": DIGITS.acos, "arctan": DIGITS.atan}
SWITCH = np.tan(np.pi / 8)


@pytest.mark.parametrize("name", TRUE)
def test_it_is_within_about_an_ulp_of_the_true_value(name):
    near_one = 1.0 - 2.0 ** -np.arange(1.0, 54.0)
    x = np.concatenate([spread(-1.0, 1.0), around(0.5, SWITCH), near_one, -near_one, [1.0, -1.0]])
    if name == "arctan":
        x = np.concatenate([x, spread(-1e308, 1e308), around(1.0, 1 + np.sqrt(2), 2.0**60)])
    assert worst(name, TRUE[name], x) <= 1.1


@pytest.mark.parametrize("name", TRUE)
def test_float32_is_within_an_ulp(name):
    assert worst_f32(name, getattr(np, name), patterns()) <= 1.0


@pytest.mark.parametrize("name", [*TRUE, "arctan2"])
def test_special_cells_are_numpys(name):
    same_ends(name, getattr(np, name))


@pytest.mark.parametrize("name", TRUE)
def test_it_is_monotonic_about_its_switches(name):
    for middle in (0.5, SWITCH, *((1.0, 1 + np.sqrt(2)) if name == "arctan" else ())):
        assert rises(name, middle - 1e-9, middle + 1e-9, falling=name == "arccos")


def points():
    y = np.concatenate([spread(-1e308, 1e308), spread(-2.0, 2.0), around(1.0, 2.0**1000)])
    x = np.random.default_rng(3).permutation(y)
    slope = around(SWITCH, 1.0, 1 / SWITCH)
    return np.concatenate([y, slope, slope]), np.concatenate(
        [x, np.full_like(slope, 1.0), 0 * slope - 3]
    )


def test_arctan2_is_within_an_ulp_of_the_true_value():
    assert worst("arctan2", DIGITS.atan2, *points()) <= 1.0


def test_arctan2_of_float32_is_within_an_ulp():
    y = patterns(9973)
    x = np.random.default_rng(3).permutation(y)
    assert worst_f32("arctan2", np.arctan2, y, x) <= 1.0


def test_the_quadrants_mirror_each_other():
    y, x = points()
    assert np.array_equal(values("arctan2", -y, x), -values("arctan2", y, x))
