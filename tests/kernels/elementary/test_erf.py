import math

import numpy as np
import pytest

from .oracle import DIGITS, around, patterns, rises, same_ends, spread, worst, worst_f32

TRUE = {"erf": DIGITS.erf, "erfc": DIGITS.erfc}


def every(name):
    return np.vectorize(getattr(math, name), otypes=[np.float64])


@pytest.mark.parametrize("name", TRUE)
def test_it_is_within_two_ulp_of_the_true_value(name):
    switches = around(0.5, 4.0, 1.0, 26.5, 27.2, 5.92, count=20)
    x = np.concatenate([spread(-7.0, 28.0), spread(-1.0, 1.0), switches, np.linspace(25, 28, 300)])
    assert worst(name, TRUE[name], x[x > -30]) <= 2.0


@pytest.mark.parametrize("name", TRUE)
def test_float32_is_within_an_ulp(name):
    assert worst_f32(name, every(name), patterns(9973)) <= 1.0


@pytest.mark.parametrize("name", TRUE)
def test_special_cells_are_those_of_c(name):
    same_ends(name, every(name))


@pytest.mark.parametrize("name", TRUE)
def test_it_is_monotonic_about_its_switches(name):
    for middle in (0.5, 1.0, 4.0):
        assert rises(name, middle - 1e-7, middle + 1e-7, falling=name == "erfc")
