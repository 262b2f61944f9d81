"""Draws of rows of counts, as ``draw(stream, total, weights, counts, length)``.

`weights` and `counts` are addresses of the numbers of a row.
"""

from __future__ import annotations

from typing import Any

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64, read_cell, set_int64
from dask_tapestry_kernels.cpu.variates.child.count_draws import binomial
from dask_tapestry_kernels.cpu.variates.child.rare_draws import hypergeometric
from dask_tapestry_kernels.cpu.variates.child.substream import function


@function
def multinomial(stream: Any, total: Any, weights: Any, counts: Any, length: Any) -> None:
    """Trials by outcome: binomial numbers of what is left, one outcome after the other."""
    left, share = total, 1.0
    for k in range(length - 1):
        p = read_cell(weights, k, 0.0)
        found = left if p > 0.0 else 0
        if 0.0 < p < share and left > 0:
            found = binomial(stream, left, p / share)
        set_int64(counts, k, found)
        left -= found
        share -= p
    set_int64(counts, length - 1, left)


@function
def multivariate_hypergeometric(
    stream: Any, total: Any, weights: Any, counts: Any, length: Any
) -> None:
    """Balls by colour: hypergeometric numbers of what is left, one colour after the other."""
    left, rest = total, 0
    for k in range(length):
        rest += get_int64(weights, k)
    for k in range(length):
        balls = get_int64(weights, k)
        rest -= balls
        found = hypergeometric(stream, balls, rest, left) if left > 0 else 0
        set_int64(counts, k, found)
        left -= found
