import numpy as np
import pytest

from .complex_oracle import DIGITS, MORE, differing_ends, errors, in_complex64, numbers, values

TRUE = {
    "absolute": lambda m: abs,
    "reciprocal": lambda m: lambda z: 1 / z,
    "sign": lambda m: lambda z: z / abs(z),
    "sqrt": lambda m: m.sqrt,
}
SMALL = 1e-300  # NumPy's quotients by such numbers overflow on the way


def pairs(least, most, count):
    z = numbers(least, most, count)
    return z, np.random.default_rng(1).permutation(z)


@pytest.mark.parametrize("name", TRUE)
def test_it_is_within_two_units_in_either_part(name):
    assert max(errors(name, TRUE[name](DIGITS), numbers())) <= 2.0
    assert max(errors(name, TRUE[name](MORE), numbers(-1000, 1000, 40), digits=MORE)) <= 2.0


def test_quotients_are_within_three_units_of_their_size():
    z, by = pairs(-40, 8, 1000)
    assert max(errors("divide", lambda z, w: z / w, z, by, whole=True)) <= 3.0
    z, by = pairs(-1060, 1023, 300)
    assert max(errors("divide", lambda z, w: z / w, z, by, whole=True)) <= 3.0


def test_quotients_have_the_bits_of_numpys_steps():
    for kind in (np.complex128, np.complex64):
        z, by = (x.astype(kind) for x in pairs(-40, 8, 1000))
        low = np.abs(by.real) < np.abs(by.imag)
        p, q = np.where(low, by.imag, by.real), np.where(low, by.real, by.imag)
        ratio = q / p
        share = 1 / (p + q * ratio)
        got = values("divide", z, by)
        x, y = z.real, z.imag
        assert np.array_equal(got.real, np.where(low, x * ratio + y, x + y * ratio) * share)
        assert np.array_equal(got.imag, np.where(low, y * ratio - x, y - x * ratio) * share)


@pytest.mark.parametrize("scale", [1e-308, 5e-324, 2.0**1000, 1e308])
def test_neither_end_of_the_range_is_lost_on_the_way(scale):
    z = np.array([1 + 1j, 1 - 1j, -1 + 1j, 1, 1j])
    end = scale * z
    assert np.allclose(values("divide", end, end), 1, rtol=1e-15)
    assert np.allclose(values("sign", end), values("sign", z), rtol=1e-15)
    root = values("sqrt", end)
    assert np.allclose(root / scale**0.5, np.sqrt(z), rtol=1e-15, atol=0)
    assert values("absolute", np.array([3e307 + 4e307j]))[0] == 5e307


@pytest.mark.parametrize("name", TRUE)
def test_complex64_is_about_as_near(name):
    assert in_complex64(name, numbers()) <= 2.0
    assert in_complex64("divide", *pairs(-20, 8, 500)) <= 3.0


@pytest.mark.parametrize("name", TRUE)
def test_special_cells_are_numpys(name):
    assert differing_ends(name, lambda z: abs(z) <= SMALL * 2 and name == "sign") == []


def test_special_cells_of_quotients_are_numpys():
    assert differing_ends("divide", lambda z, by: abs(by) <= SMALL * 2) == []


def test_the_root_of_a_number_below_zero_is_on_the_side_of_its_sign():
    z = np.array([complex(-4, 0.0), complex(-4, -0.0)])
    assert values("sqrt", z).tolist() == [2j, -2j]
