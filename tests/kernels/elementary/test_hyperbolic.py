import numpy as np
import pytest

from .oracle import DIGITS, around, patterns, rises, same_ends, spread, values, worst, worst_f32

TRUE = {"sinh": DIGITS.sinh, "cosh": DIGITS.cosh, "tanh": DIGITS.tanh}
HALF = np.log(2) / 2
END = 710.4758600739439


@pytest.mark.parametrize("name", TRUE)
def test_it_is_within_about_an_ulp_of_the_true_value(name):
    switches = around(HALF, 3 * HALF, 12.0, 18.7, 19.1, 20.0, 2.0**-27, END, 710.5)
    x = np.concatenate([spread(-711.0, 711.0), spread(-20.0, 20.0), switches])
    assert worst(name, TRUE[name], x) <= 1.25


@pytest.mark.parametrize("name", TRUE)
def test_float32_is_within_two_ulp(name):
    assert worst_f32(name, getattr(np, name), patterns()) <= 1.5


@pytest.mark.parametrize("name", TRUE)
def test_special_cells_are_numpys(name):
    same_ends(name, getattr(np, name))


@pytest.mark.parametrize("name", TRUE)
def test_it_rises_about_its_switches(name):
    for middle in (HALF, 12.0, 18.7, 20.0):
        assert rises(name, middle - 1e-9, middle + 1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_it_is_odd_or_even(dtype):
    x = spread(-90.0, 90.0).astype(dtype)
    assert np.array_equal(values("sinh", -x), -values("sinh", x))
    assert np.array_equal(values("tanh", -x), -values("tanh", x))
    assert np.array_equal(values("cosh", -x), values("cosh", x))
