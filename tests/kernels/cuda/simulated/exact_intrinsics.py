"""`number_intrinsics` in Python, exactly: what the simulator runs in place of instructions.

Every function takes and gives NumPy's scalars. `fma` is the C library's, which rounds once.
"""

import ctypes
import ctypes.util
import math

import numpy as np

_C = ctypes.CDLL(ctypes.util.find_library("m"))
_C.fma.restype, _C.fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3
_C.fmaf.restype, _C.fmaf.argtypes = ctypes.c_float, [ctypes.c_float] * 3


def _float(x):
    """A number of Python's is a float64, as for numba."""
    return x if isinstance(x, np.floating) else np.float64(x)


def float64_bits(x):
    return np.float64(x).view(np.int64)


def float64_of(x):
    return np.int64(x).view(np.float64)


def float32_bits(x):
    return np.float32(x).view(np.int32)


def float32_of(x):
    return np.int32(x).view(np.float32)


def fma(x, y, z):
    if _float(x).dtype == np.float32:
        return np.float32(_C.fmaf(x, y, z))
    return np.float64(_C.fma(x, y, z))


def fmod(x, y):
    with np.errstate(all="ignore"):
        return np.fmod(x, y)


def half_to_float(x):
    return np.float32(np.uint16(x).view(np.float16))


def float_to_half(x):
    with np.errstate(all="ignore"):
        return np.float16(np.float32(x)).view(np.uint16)


def double_to_half(x):
    with np.errstate(all="ignore"):
        return np.float16(np.float64(x)).view(np.uint16)


def choose(condition, yes, no):
    kind = type(yes) if isinstance(yes, np.generic) else _of_python(yes, no)
    return kind(yes if condition else no)


def _of_python(yes, no):
    if isinstance(yes, bool):
        return np.bool_
    if isinstance(yes, int):
        return np.int64
    return np.float64


def _terms(x, coefficients):
    return [type(x)(c) for c in coefficients]


def horner(x, coefficients):
    terms = _terms(x, coefficients)
    value = terms.pop()
    while terms:
        value = fma(value, x, terms.pop())
    return value


def estrin(x, coefficients):
    terms = _terms(x, coefficients)
    power = x
    while len(terms) > 1:
        pairs = [fma(high, power, low) for low, high in zip(terms[::2], terms[1::2], strict=False)]
        terms = pairs + terms[len(pairs) * 2 :]
        power = power * power
    return terms[0]


def root(x):
    return np.sqrt(_float(x))


def nearest(x):
    return np.rint(_float(x))


def magnitude(x):
    return np.abs(_float(x))


def round_down(x):
    return np.floor(_float(x))


def round_up(x):
    return np.ceil(_float(x))


def cut_off(x):
    return np.trunc(_float(x))


def signed(x, sign):
    return np.copysign(_float(x), _float(sign))


def wide_product(x, y):
    product = int(x) * int(y)
    return np.uint64(product >> 64), np.uint64(product & (2**64 - 1))


def intrinsic(function):
    raise NotImplementedError(f"{function.__name__} has no form in Python: {math.nan}")
