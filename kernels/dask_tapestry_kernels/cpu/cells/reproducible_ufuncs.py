"""The ufuncs whose bits NumPy leaves to the place of a cell in its block, written out.

NumPy multiplies complex numbers with fused multiply-add where its vector loop serves, and without
where strides or overlap send it to the scalar one; `fmax` and `fmin` of zeros of two signs depend
on the vector lane. (NumPy 2.4 with AVX-512: 24 % of products of normal numbers differ in a bit,
half of the ties of zeros.) Here they are the formula in separate IEEE steps, the first operand at a
tie.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import numpy as np

Block = np.ndarray[Any, Any]
Function = Callable[..., Block]


def multiply(x: Any, y: Any, out: Block | None = None) -> Block:
    """``x * y``; of complex numbers, four products, a difference and a sum."""
    x, y = np.asarray(x), np.asarray(y)
    if x.dtype.kind != "c" and y.dtype.kind != "c":
        product: Block = np.multiply(x, y, out=out)
        return product
    real = x.real * y.real - x.imag * y.imag
    imag = x.real * y.imag + x.imag * y.real
    result = np.empty(real.shape, np.result_type(x, y)) if out is None else out
    result.real, result.imag = real, imag
    return result


def square(x: Any, out: Block | None = None) -> Block:
    """``x * x``."""
    x = np.asarray(x)
    return np.square(x, out=out) if x.dtype.kind != "c" else multiply(x, x, out)


def scale(x: Block, factor: Block) -> Block:
    """``x * factor`` for a real factor, which leaves the parts of a complex number apart."""
    if x.dtype.kind != "c":
        return np.asarray(x * factor)
    result = np.empty(np.broadcast_shapes(x.shape, factor.shape), x.dtype)
    result.real, result.imag = x.real * factor, x.imag * factor
    return result


def fmax(x: Any, y: Any, out: Block | None = None) -> Block:
    """The greater of `x` and `y`; a number before a NaN, `x` at a tie."""
    return _chosen(np.fmax, np.greater_equal, x, y, out)


def fmin(x: Any, y: Any, out: Block | None = None) -> Block:
    """The lesser of `x` and `y`; a number before a NaN, `x` at a tie."""
    return _chosen(np.fmin, np.less_equal, x, y, out)


def _chosen(numpy: np.ufunc, prefers: np.ufunc, x: Any, y: Any, out: Block | None) -> Block:
    x, y = np.asarray(x), np.asarray(y)
    if x.dtype.kind != "f":
        return np.asarray(numpy(x, y, out=out))
    chosen: Block = np.where(prefers(x, y) | np.isnan(y), x, y)
    if out is None:
        return chosen
    out[...] = chosen
    return out


def is_exact(function: Callable[..., Any], dtype: np.dtype[Any]) -> bool:
    """Whether for cells of `dtype` the function is a formula of this module, not a NumPy loop."""
    if function in (fmax, fmin):
        return dtype.kind == "f"
    return function in (multiply, square) and dtype.kind == "c"


EXACT: Final[MappingProxyType[str, Function]] = MappingProxyType(
    {"multiply": multiply, "square": square, "fmax": fmax, "fmin": fmin}
)
