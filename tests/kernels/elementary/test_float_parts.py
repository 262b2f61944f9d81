from fractions import Fraction

import numpy as np
import pytest

from dask_tapestry_kernels.elementary import float_parts

PAIRS = np.random.default_rng(5).normal(size=(50, 2)) * [[1.0, 1e-9]]


def test_sums_and_products_come_with_their_error():
    for a, b in PAIRS.tolist():
        exact = Fraction(a) + Fraction(b)
        assert exact == sum(map(Fraction, float_parts.two_sum(a, b)))
        assert exact == sum(map(Fraction, float_parts.two_sum(b, a)))
        assert exact == sum(map(Fraction, float_parts.fast_two_sum(a, b)))
        assert Fraction(a) * Fraction(b) == sum(map(Fraction, float_parts.two_product(a, b)))


def test_powers_of_two():
    for n in (-1022, -1, 0, 1, 1023):
        assert float_parts.power_of_two(n) == 2.0**n
    for n in (-126, -1, 0, 1, 127):
        assert float_parts.power_of_two_f32(np.int32(n)) == 2.0**n


@pytest.mark.parametrize("n", [-1080, -1075, -1074, -1030, -3, 0, 5, 1023, 1030])
def test_scaling_rounds_once(n):
    if -1022 <= n <= 1023:
        assert float_parts.with_exponent(1.375, n) == np.ldexp(1.375, n)
        few = np.float32(1.375)
        if -126 <= n // 8 <= 127:
            found = float_parts.with_exponent_f32(few, np.int32(n // 8))
            assert found == np.ldexp(few, n // 8)
    with np.errstate(all="ignore"):
        assert float_parts.scaled(1.375, n) == np.ldexp(1.375, n)
        few = np.float32(1.375)
        assert float_parts.scaled_f32(few, np.int32(n // 8)) == np.ldexp(few, n // 8)


@pytest.mark.parametrize("x", [5e-324, 1e-310, 1e-45, 0.7, np.sqrt(0.5), 1.0, 1.41, 1.42, 1e38])
def test_a_number_splits_into_a_power_of_two_and_one_near_one(x):
    k, m = float_parts.split(x)
    assert Fraction(m) * Fraction(2) ** int(k) == Fraction(x)
    assert 0.707 < m < 1.415
    few = np.float32(x)
    if few:
        k, m = float_parts.split_f32(few)
        assert Fraction(float(m)) * Fraction(2) ** int(k) == Fraction(float(few))
        assert 0.707 < m < 1.415
