import numpy as np
from numba import njit

from dask_tapestry_kernels.elementary import complex_parts


def test_turning_moves_signs_of_zeros_along():
    z = complex(0.0, -0.0)
    turned = njit(complex_parts.turned.py_func)(z)
    assert (np.signbit(turned.real), np.signbit(turned.imag)) == (False, False)
    back = njit(complex_parts.turned_back.py_func)(turned)
    assert (np.signbit(back.real), np.signbit(back.imag)) == (False, True)


def test_wild_are_large_far_and_infinite_numbers_and_nan():
    is_wild = njit(lambda z: complex_parts.is_wild(z))
    assert not any(map(is_wild, (0j, 700 + 0j, -700 + 2.0**30 * 1j)))
    wild = (701 + 0j, 2.0**31 * 1j, complex(np.nan, 0), complex(0, np.nan), complex(np.inf, 0))
    assert all(map(is_wild, wild))
    assert is_wild(complex(0, np.inf))


def test_a_large_exponential_is_taken_in_three_parts():
    common = njit(lambda x: complex_parts.common(x))
    assert common(3.0) == (3.0, 1.0)
    near, rest = common(1400.0)
    assert near == 700.0
    assert rest == np.exp(350.0)
    assert common(-np.inf) == (-700.0, 0.0)


def test_sizes_are_sorted():
    sizes = njit(lambda x, y: complex_parts.sorted_sizes(x, y))
    assert sizes(-3.0, 2.0) == (3.0, 2.0)
    assert sizes(2.0, -3.0) == (3.0, 2.0)
