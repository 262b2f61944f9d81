import numpy as np
import pytest

from .oracle import DIGITS, around, patterns, rises, same_ends, spread, worst, worst_f32

TRUE = {"arcsinh": DIGITS.asinh, "arccosh": DIGITS.acosh, "arctanh": DIGITS.atanh}
LOW = {"arcsinh": -1e308, "arccosh": 1.0, "arctanh": -1 + 2.0**-53}
HIGH = {"arcsinh": 1e308, "arccosh": 1e308, "arctanh": 1 - 2.0**-53}


@pytest.mark.parametrize("name", TRUE)
def test_it_is_within_an_ulp_of_the_true_value(name):
    near_one = 1 + np.concatenate([2.0 ** -np.arange(1.0, 53.0), -(2.0 ** -np.arange(1.0, 54.0))])
    switches = around(0.25, 1 / 3, 0.1715728752538099, 0.5, 0.75, 1.0, 1.25, 2.0**30, 2.0**-27)
    x = np.concatenate([spread(LOW[name], HIGH[name]), spread(-20.0, 20.0), near_one, switches])
    x = x[(x >= LOW[name]) & (x <= HIGH[name])]
    assert worst(name, TRUE[name], x) <= 1.0


@pytest.mark.parametrize("name", TRUE)
def test_float32_is_within_an_ulp(name):
    assert worst_f32(name, getattr(np, name), patterns()) <= 1.0


@pytest.mark.parametrize("name", TRUE)
def test_special_cells_are_numpys(name):
    same_ends(name, getattr(np, name))


@pytest.mark.parametrize("name", TRUE)
def test_it_rises_about_its_switches(name):
    middles = (1.25, 2.0) if name == "arccosh" else (0.1715728752538099, 0.5)
    for middle in middles:
        assert rises(name, middle - 1e-9, middle + 1e-9)
