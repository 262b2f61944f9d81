"""The draws that others are made of: normal and exponential numbers, and their functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry_kernels.elementary import exponentials, logarithms
from dask_tapestry_kernels.elementary.compiled_functions import inlined, keep_apart
from dask_tapestry_kernels.variates.child.layers import (
    EXPONENTIAL_EDGES,
    EXPONENTIAL_HEIGHTS,
    EXPONENTIAL_TAIL,
    NORMAL_EDGES,
    NORMAL_HEIGHTS,
    NORMAL_TAIL,
)
from dask_tapestry_kernels.variates.child.substream import TO_UNIT, function, uniform, word


@function
def log(x: Any) -> Any:
    """Natural logarithm; one copy of its code serves a whole kernel."""
    keep_apart()
    return logarithms.log(x)


@function
def log1p(x: Any) -> Any:
    """``log(1 + x)``."""
    keep_apart()
    return logarithms.log1p(x)


@function
def exp(x: Any) -> Any:
    """The exponential function."""
    keep_apart()
    return exponentials.exp(x)


@inlined
def smaller(x: Any, y: Any) -> Any:
    """The smaller of two numbers, and of two of which one is a NaN the first."""
    return y if y < x else x


@inlined
def larger(x: Any, y: Any) -> Any:
    """The larger of two numbers, and of two of which one is a NaN the first."""
    return y if y > x else x


@function
def exponential(stream: Any) -> Any:
    """A number of rate 1: a point below the density, of 256 layers of one area.

    Source: Marsaglia and Tsang, "The ziggurat method for generating random variables", Journal of
    Statistical Software 5 (2000).
    """
    tail = 0.0
    while True:
        bits = word(stream)
        layer = np.int64(bits & np.uint64(255))
        x = np.float64(np.int64(bits >> np.uint64(11))) * TO_UNIT * EXPONENTIAL_EDGES[layer]
        if x < EXPONENTIAL_EDGES[layer + 1]:
            return tail + x
        if layer == 0:
            tail += EXPONENTIAL_TAIL  # what lies beyond is distributed as the whole
            continue
        low, high = EXPONENTIAL_HEIGHTS[layer], EXPONENTIAL_HEIGHTS[layer + 1]
        if low + uniform(stream) * (high - low) < exp(-x):
            return tail + x


@function
def normal(stream: Any) -> Any:
    """A number of mean 0 and variance 1, in the same way.

    Source: Marsaglia and Tsang, "The ziggurat method for generating random variables", Journal of
    Statistical Software 5 (2000).
    """
    while True:
        bits = word(stream)
        layer = np.int64(bits & np.uint64(255))
        x = np.float64(np.int64(bits >> np.uint64(11))) * TO_UNIT * NORMAL_EDGES[layer]
        sign = -1.0 if bits & np.uint64(256) else 1.0
        if x < NORMAL_EDGES[layer + 1]:
            return sign * x
        if layer == 0:
            while True:
                beyond = exponential(stream) / NORMAL_TAIL
                if 2.0 * exponential(stream) > beyond * beyond:
                    return sign * (NORMAL_TAIL + beyond)
        low, high = NORMAL_HEIGHTS[layer], NORMAL_HEIGHTS[layer + 1]
        if low + uniform(stream) * (high - low) < exp(-0.5 * x * x):
            return sign * x
