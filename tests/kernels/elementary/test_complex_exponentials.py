import numpy as np
import pytest

from .complex_oracle import DIGITS, MORE, differing_ends, errors, in_complex64, numbers, values

TRUE = {
    "exp": DIGITS.exp,
    "exp2": lambda z: DIGITS.exp(z * DIGITS.ln2),
    "expm1": DIGITS.expm1,
}


def test_exp_is_within_two_units_in_either_part():
    assert max(errors("exp", DIGITS.exp, numbers())) <= 2.0
    assert max(errors("exp", MORE.exp, numbers(-1074, 1023, 40), digits=MORE)) <= 2.0


def test_exp2_is_within_three_units_in_either_part():
    assert max(errors("exp2", TRUE["exp2"], numbers())) <= 3.0


@pytest.mark.parametrize("size", [2.0**8, 2.0**20, 2.0**35])
def test_exp2_turns_by_large_angles_to_the_last_units(size):
    """The rounding error of an angle is as large as that of its size."""
    random = np.random.default_rng(7)
    z = random.normal(size=2000) + 1j * random.uniform(-size, size, 2000)
    assert max(errors("exp2", TRUE["exp2"], z)) <= 3.0


def test_expm1_is_within_two_units_of_its_size():
    assert max(errors("expm1", DIGITS.expm1, numbers(), whole=True)) <= 2.0
    assert errors("expm1", DIGITS.expm1, numbers())[1] <= 2.0


@pytest.mark.few(1)  # all round in one function
@pytest.mark.parametrize("name", TRUE)
def test_complex64_is_rounded_once(name):
    assert in_complex64(name, numbers()) <= 1.0


@pytest.mark.parametrize("name", ["exp", "exp2"])
def test_special_cells_are_numpys(name):
    assert differing_ends(name) == []


def test_special_cells_of_expm1_are_numpys_but_where_it_overflows_on_the_way():
    assert differing_ends("expm1", lambda z: 700 < z.real < np.inf) == []
    assert values("expm1", np.array([1000 + 0j]))[0] == np.inf


def test_a_large_exponent_beside_a_small_sine_is_finite():
    z = np.array([1000 + 1e-300j, 720 + 3.14j / 2])
    assert max(errors("exp", DIGITS.exp, z)) <= 2.0
    assert np.isfinite(values("exp", z)[:1].imag).all()
