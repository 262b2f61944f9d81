import mpmath
import numpy as np

from dask_tapestry_kernels.elementary import argument_reduction

from .oracle import DIGITS, loop, spread


def test_the_table_holds_two_over_pi_less_fours():
    with mpmath.workprec(1400):
        for row in (0, 1, 500, argument_reduction.ROWS - 1):
            exponent = argument_reduction.FIRST_ROW - 52 + row
            true = mpmath.ldexp(2 / mpmath.pi, exponent) % 4
            assert abs(mpmath.fsum(argument_reduction.FAR[:, row].tolist()) - true) < 2.0**-200


def test_an_angle_is_far_from_two_to_the_thirty_on():
    x = np.array([0.0, 2.0**30, -(2.0**30), 2.0**30 + 1, -1e300, np.inf, -np.inf, np.nan])
    far = np.empty(x.shape, bool)
    loop(argument_reduction.is_far)(x, far)
    assert far.tolist() == [False, False, False, True, True, False, False, False]


def test_what_is_left_is_an_eighth_of_a_turn_at_most_and_right():
    for x in spread(-1e308, 1e308)[::10].tolist():
        bits, r, low = argument_reduction.reduce_any(x)
        with mpmath.workprec(1400):
            n = mpmath.nint(mpmath.mpf(x) / (mpmath.pi / 2))
            true = mpmath.mpf(x) - n * mpmath.pi / 2
        assert abs(r) <= np.pi / 4 + 1e-6
        if abs(abs(true) - mpmath.pi / 4) > 1e-6:
            assert bits % 4 == int(n) % 4
            assert abs(DIGITS.mpf(r) + low - true) <= 2.0**-75 * abs(true)
