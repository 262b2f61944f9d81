"""Cells of splines in compiled loops: weights, coordinates and places beyond the ends, rounding."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from dask_tapestry_kernels.cpu.blocks import spline_weights

plain = njit(inline="always", error_model="numpy")
inlined = njit(error_model="numpy")

weights0 = inlined(spline_weights.weights0)
weights1 = inlined(spline_weights.weights1)
weights2 = inlined(spline_weights.weights2)
weights3 = inlined(spline_weights.weights3)
weights4 = inlined(spline_weights.weights4)
weights5 = inlined(spline_weights.weights5)


@inlined
def rounded_signed(v: float, least: float, most: float, top: int) -> Any:
    """The nearest integer in a range of which `top` is the greatest."""
    if v != v:
        return 0
    w = v + 0.5 if v > 0 else v - 0.5
    if w >= most:
        return top
    return np.int64(max(w, least))


@inlined
def rounded_unsigned(v: float, most: float, top: int) -> Any:
    """The nearest integer from 0 to `top`."""
    w = v + 0.5 if v > 0 else 0.0
    if w >= most:
        return np.uint64(top)
    return np.uint64(w)
