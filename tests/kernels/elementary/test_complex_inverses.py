import numpy as np
import pytest

from .complex_oracle import DIGITS, MORE, differing_ends, errors, in_complex64, numbers, values

TRUE = {
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arcsinh": "asinh",
    "arccosh": "acosh",
    "arctanh": "atanh",
}


@pytest.mark.parametrize("name", TRUE)
def test_it_is_within_four_units_in_either_part(name):
    assert max(errors(name, getattr(DIGITS, TRUE[name]), numbers())) <= 4.0
    wide = numbers(-1000, 1000, 15)
    assert max(errors(name, getattr(MORE, TRUE[name]), wide, digits=MORE)) <= 4.0


@pytest.mark.few(3)  # all round in one function
@pytest.mark.parametrize("name", TRUE)
def test_complex64_is_rounded_once(name):
    assert in_complex64(name, numbers()) <= 1.0


@pytest.mark.parametrize("name", TRUE)
def test_special_cells_are_numpys(name):
    assert differing_ends(name) == []


@pytest.mark.parametrize("name", TRUE)
def test_a_branch_cut_has_two_sides(name):
    cut = np.array([0.5, -2.0] if name == "arccosh" else [2.0, -2.0])
    sides = []
    for zero in (0.0, -0.0):
        z = np.empty(2, complex)
        along_imaginary = name in ("arctan", "arcsinh")
        z.real, z.imag = (zero, cut) if along_imaginary else (cut, zero)
        sides.append(values(name, z))
        assert np.allclose(sides[-1], getattr(np, name)(z), rtol=1e-14)
    assert not np.isclose(*sides).any()


def test_a_tangent_beside_one_is_large_and_not_infinite():
    z = np.array([1 + 1e-300j, -1 + 1e-200j, 1 + 0j])
    got = values("arctanh", z)
    assert np.allclose(got.real[:2], [345.7343174, -230.6047945])
    assert got[2].real == np.inf
