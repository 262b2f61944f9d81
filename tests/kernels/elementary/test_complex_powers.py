import numpy as np
import pytest

from .complex_oracle import DIGITS, differing_ends, errors, numbers, values


def product(x, y):
    """Four products, a difference and a sum."""
    return (x.real * y.real - x.imag * y.imag) + 1j * (x.real * y.imag + x.imag * y.real)


def exponents(n, z):
    return np.full_like(z, n)


@pytest.mark.parametrize("kind", [np.complex64, np.complex128])
def test_whole_powers_are_products(kind):
    z = numbers(-4, 4, 100).astype(kind)
    squared = product(z, z)
    for n, want in {1: z, 2: squared, 3: product(z, squared), 4: product(squared, squared)}.items():
        assert np.array_equal(values("power", z, exponents(n, z)), want.astype(kind))
        inverse = values("divide", np.ones_like(z), want.astype(kind))
        assert np.array_equal(values("power", z, exponents(-n, z)), inverse)
    assert np.array_equal(values("power", z, exponents(0, z)), np.ones_like(z))


@pytest.mark.parametrize("n", [-99, -7, 5, 13, 64, 99])
def test_whole_powers_are_near(n):
    z = numbers(-3, 3, 100)
    worst = errors("power", lambda z, _: z**n, z, exponents(n, z), whole=True)
    assert max(worst) <= 2 * abs(n)


def test_other_powers_lose_what_the_exponent_has_before_its_point():
    z, w = numbers(-3, 3, 200), numbers(-3, 3, 200)[::-1].copy()
    steep = np.abs(w * np.log(z))
    for most, units in ((1.0, 4.0), (8.0, 16.0), (64.0, 128.0)):
        near = steep <= most
        worst = errors("power", lambda z, w: DIGITS.exp(w * DIGITS.log(z)), z[near], w[near],
                       whole=True)  # fmt: skip
        assert max(worst) <= units


def test_zero_to_a_power():
    zero = np.zeros(4, complex)
    got = values("power", zero, np.array([0, 2.5 + 1j, -1, 1j]))
    assert np.array_equal(got, [1, 0, complex(np.nan, np.nan), complex(np.nan, np.nan)], True)


def test_special_cells_are_numpys_where_digits_are_left():
    def is_vague(z, exponent):
        with np.errstate(all="ignore"):
            steep = abs(exponent * np.log(z))
        return 100 < steep < np.inf or 1e200 < max(abs(exponent), abs(z)) < np.inf

    assert differing_ends("power", is_vague, signs=False) == []
