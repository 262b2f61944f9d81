import pytest

from .complex_oracle import DIGITS, MORE, differing_ends, errors, in_complex64, numbers

NAMES = ("sinh", "cosh", "tanh", "sin", "cos", "tan")
UNITS = {"tanh": 4.5, "tan": 4.5}


@pytest.mark.parametrize("name", NAMES)
def test_it_is_within_some_units_in_either_part(name):
    assert max(errors(name, getattr(DIGITS, name), numbers())) <= UNITS.get(name, 2.0)
    wide = numbers(-1000, 500, 20)
    assert max(errors(name, getattr(MORE, name), wide, digits=MORE)) <= UNITS.get(name, 2.0)


@pytest.mark.few(3)  # all round in one function
@pytest.mark.parametrize("name", NAMES)
def test_complex64_is_rounded_once(name):
    assert in_complex64(name, numbers()) <= 1.0


@pytest.mark.parametrize("name", NAMES)
def test_special_cells_are_numpys(name):
    assert differing_ends(name) == []
