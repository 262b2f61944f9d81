"""The steps as functions of single cells; what rows make of them is compared in test_meanings."""

from itertools import product

import numpy as np
import pytest

from dask_tapestry_kernels.formulas.child import ufunc_loops
from tests.kernels.cpu.cells.expressions import special

LEAST = {32: -(2**31), 64: -(2**63)}


@pytest.mark.parametrize("bits", [32, 64])
def test_floats_that_no_integer_is_become_the_least(bits):
    convert = {32: ufunc_loops.to_int32.py_func, 64: ufunc_loops.to_int64.py_func}[bits]
    for x in (np.nan, np.inf, -np.inf, 2.0 ** (bits - 1), -(2.0**bits), 1e300):
        assert convert(np.float64(x)) == LEAST[bits]
    for x in (-(2.0 ** (bits - 1)), -1.9, -0.0, 1.9, 2.0 ** (bits - 2)):
        assert convert(np.float64(x)) == int(x)


@pytest.mark.parametrize("kind", "fd")
def test_remainder_and_quotient_are_numpys(kind):
    cells = special(kind)
    for x, y in np.stack([np.repeat(cells, len(cells)), np.tile(cells, len(cells))], 1)[::7]:
        with np.errstate(all="ignore"):
            pairs = [
                (ufunc_loops.remainder(x, y), np.remainder(x, y)),
                (ufunc_loops.floor_divide(x, y), np.floor_divide(x, y)),
            ]
        for made, expected in pairs:
            assert np.array_equal(made, expected, equal_nan=True), (x, y)
            assert np.isnan(made) or np.signbit(made) == np.signbit(expected), (x, y)


@pytest.mark.parametrize("kind", "bhil")
def test_integer_division_has_no_case_that_traps(kind):
    least, zero, minus = np.iinfo(kind).min, np.int64(0), np.int64(-1)
    x = np.dtype(kind).type(least)
    assert ufunc_loops.floor_divide_integer(np.int64(7), zero) == 0
    assert ufunc_loops.remainder_integer(np.int64(7), zero) == 0
    assert ufunc_loops.remainder_integer(np.int64(least), minus) == 0
    assert ufunc_loops.floor_divide_integer(np.int64(-(2**63)), minus) == -(2**63)
    assert ufunc_loops.floor_divide_integer(x, np.dtype(kind).type(2)) == least // 2


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("kind", "bhiBH")
def test_division_by_way_of_floats_is_that_of_integers(kind):
    limits, own = np.iinfo(kind), np.dtype(kind).type
    real = np.float32 if own(0).itemsize <= 2 else np.float64
    some = [limits.min, limits.min + 1, -7, -1, 0, 1, 3, 7, 46341, limits.max - 1, limits.max]
    cells = [own(n) for n in some if limits.min <= n <= limits.max]
    with np.errstate(all="ignore"):
        for x, y in product(cells, cells):
            assert ufunc_loops.floor_divide_narrow(x, y, real) == np.floor_divide(x, y), (x, y)
            assert ufunc_loops.remainder_narrow(x, y, real) == np.remainder(x, y), (x, y)


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("kind", "bhilBHIL")
def test_divisors_and_multiples_are_numpys(kind):
    limits, own = np.iinfo(kind), np.dtype(kind).type
    for x in (own(n) for n in (limits.min, limits.max, 0, 1, 12, 18)):
        for y in (own(n) for n in (limits.min, limits.max, 0, 1, 8, 30)):
            assert ufunc_loops.gcd(x, y) == np.gcd(x, y), (x, y)
            assert ufunc_loops.lcm(x, y) == np.lcm(x, y), (x, y)


def test_all_bits_may_be_shifted_out():
    x = np.int64(-5)
    for by in (64, 100, -1):
        assert ufunc_loops.left_shift(x, np.int64(by), 64) == 0
        assert ufunc_loops.right_shift(x, np.int64(by), 64) == -1
    assert ufunc_loops.right_shift(np.uint64(5), np.uint64(64), 64) == 0
    assert ufunc_loops.left_shift(np.uint64(1), np.uint64(63), 64) == 2**63


def test_ties_of_zeros_are_numpys():
    plus, minus = np.float32(0), np.float32(-0.0)
    for x, y in ((plus, minus), (minus, plus)):
        assert np.signbit(ufunc_loops.minimum(x, y)) == np.signbit(y)
        assert np.signbit(ufunc_loops.maximum(x, y)) == np.signbit(y)
        assert np.signbit(ufunc_loops.minimum_half(x, y)) == np.signbit(x)
        assert np.signbit(ufunc_loops.fmax(x, y)) == np.signbit(x)
