import numpy as np
import pytest

from .complex_oracle import DIGITS, MORE, differing_ends, errors, in_complex64, numbers, values

TRUE = {
    "log": lambda m: m.log,
    "log2": lambda m: lambda z: m.log(z) / m.ln2,
    "log10": lambda m: lambda z: m.log(z) / m.ln10,
    "log1p": lambda m: lambda z: m.log(1 + z),
}


@pytest.mark.parametrize("name", TRUE)
def test_it_is_within_two_units_in_either_part(name):
    assert max(errors(name, TRUE[name](DIGITS), numbers())) <= 2.0
    assert max(errors(name, TRUE[name](MORE), numbers(-500, 1023, 40), digits=MORE)) <= 2.0


def test_nothing_is_lost_beside_the_unit_circle():
    angles = np.random.default_rng(2).uniform(-np.pi, np.pi, 4000)
    z = np.exp(1j * angles) * (1 + np.tile([0, 1, -2, 7], 1000) * 2.0**-53)
    assert max(errors("log", DIGITS.log, z)) <= 1.0
    assert max(errors("log1p", lambda z: DIGITS.log(1 + z), z - 1)) <= 2.0


@pytest.mark.parametrize("name", TRUE)
def test_complex64_is_rounded_once(name):
    assert in_complex64(name, numbers()) <= 1.0


@pytest.mark.parametrize("name", ["log", "log2", "log10"])
def test_special_cells_are_numpys(name):
    assert differing_ends(name) == []


def test_special_cells_of_log1p_are_numpys_but_tiny_ones():
    assert differing_ends("log1p", lambda z: 0 < abs(z.real) < 1e-200 and abs(z) < 1) == []
    assert values("log1p", np.array([1e-300 + 0j]))[0] == 1e-300
