import math

import numpy as np
import pytest
from numba import njit

from dask_tapestry_kernels.elementary import number_intrinsics

CELLS = [0.0, -0.0, 0.5, 1.5, -2.5, 1e10, -3.7]
TERMS = (0.5, -3.0, 2.0, 0.25, 1.0, -0.125)


@njit
def unary(x):
    return (
        number_intrinsics.root(number_intrinsics.magnitude(x)),
        number_intrinsics.nearest(x),
        number_intrinsics.signed(x, -x),
    )


@njit
def polynomials(x):
    return number_intrinsics.horner(x, TERMS), number_intrinsics.estrin(x, TERMS)


@njit
def chosen(x, y):
    return number_intrinsics.choose(x > y, x, y)


@njit
def fused(x, y, z):
    return number_intrinsics.fma(x, y, z)


@njit
def bits(x):
    return number_intrinsics.float64_of(number_intrinsics.float64_bits(x))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("cell", CELLS)
def test_functions_of_one_cell(cell, dtype):
    x = dtype(cell)
    root, nearest, signed = unary(x)
    assert (root, nearest, signed) == (np.sqrt(np.abs(x)), np.rint(x), -x)
    assert np.signbit(signed) != np.signbit(x)
    assert chosen(x, dtype(1)) == max(x, 1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("cell", [0.0, 0.5, -2.0, 3.0])
def test_polynomials_of_few_bits_are_exact_either_way(cell, dtype):
    want = sum(term * cell**k for k, term in enumerate(TERMS))
    assert polynomials(dtype(cell)) == (want, want)


def test_a_product_and_sum_are_rounded_once():
    x = 1 + 2.0**-30
    assert fused(x, x, -1.0 - 2.0**-29) == 2.0**-60
    few = np.float32(1 + 2.0**-12)
    assert fused(few, few, np.float32(-1 - 2.0**-11)) == np.float32(2.0**-24)


def test_bits_go_both_ways():
    assert all(bits(x) == x and np.signbit(bits(x)) == np.signbit(x) for x in CELLS)


@pytest.fixture(scope="module")
def run():
    """The intrinsics, which only compiled functions can call."""

    @njit(error_model="numpy")
    def halves(bits, floats, doubles):
        for i in range(len(bits)):
            floats[i] = number_intrinsics.half_to_float(bits[i])
            bits[i] = number_intrinsics.double_to_half(doubles[i])

    @njit(error_model="numpy")
    def scalars(x, y, z):
        bits = number_intrinsics.float64_bits(x)
        return (
            number_intrinsics.fma(x, y, z),
            number_intrinsics.fmod(x, y),
            number_intrinsics.float64_of(bits),
            bits,
        )

    return {"halves": halves, "scalars": scalars}


def test_every_half_becomes_its_float_and_doubles_become_the_nearest(run):
    bits = np.arange(65_536, dtype="u2")
    every, doubles = bits.copy().view("e"), np.random.default_rng(0).normal(0, 1e3, 65_536)
    floats = np.empty(65_536, "f")
    run["halves"](bits, floats, doubles)
    assert np.array_equal(floats, every.astype("f"), equal_nan=True)
    assert np.array_equal(bits, doubles.astype("e").view("u2"))


@pytest.mark.parametrize("kind", "fd")
def test_multiply_and_add_is_rounded_once(run, kind):
    real = np.dtype(kind).type
    x = real(1) + np.finfo(real).eps
    fused, rest, _, _ = run["scalars"](np.float64(x), np.float64(x), -np.float64(x * x))
    if kind == "d":
        assert fused == np.finfo(real).eps ** 2
    assert rest == 0


def test_remainder_and_bits_of_doubles(run):
    x, y = -7.5, 2.0
    _, rest, same, bits = run["scalars"](x, y, 0.0)
    assert (rest, same) == (math.fmod(x, y), x)
    assert bits == np.float64(x).view("i8")
