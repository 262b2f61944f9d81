import numpy as np
import pytest
from numba import njit

from dask_tapestry_kernels.cpu import native

CELLS = [0.0, -0.0, 0.5, 1.5, -2.5, 1e10, -3.7]
TERMS = (0.5, -3.0, 2.0, 0.25, 1.0, -0.125)


@njit
def unary(x):
    return native.root(native.magnitude(x)), native.nearest(x), native.signed(x, -x)


@njit
def polynomials(x):
    return native.horner(x, TERMS), native.estrin(x, TERMS)


@njit
def chosen(x, y):
    return native.choose(x > y, x, y)


@njit
def fused(x, y, z):
    return native.fma(x, y, z)


@njit
def bits(x):
    return native.float64_of(native.float64_bits(x))


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
