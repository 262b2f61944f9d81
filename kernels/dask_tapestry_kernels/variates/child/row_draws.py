"""Draws of rows of counts, as ``draw(stream, total, weights, first, jump, counts, at, length)``.

`weights` and `counts` are pointers, or arrays: number k of a row is ``weights[first + k * jump]``
and ``counts[at + k]``.
"""

from __future__ import annotations

from typing import Any

from dask_tapestry_kernels.variates.child.count_draws import binomial
from dask_tapestry_kernels.variates.child.rare_draws import hypergeometric
from dask_tapestry_kernels.variates.child.substream import function


@function
def multinomial(
    stream: Any,
    total: Any,
    weights: Any,
    first: Any,
    jump: Any,
    counts: Any,
    at: Any,
    length: Any,
) -> None:
    """Trials by outcome: binomial numbers of what is left, one outcome after the other."""
    left, share = total, 1.0
    for k in range(length - 1):
        p = weights[first + k * jump]
        found = left if p > 0.0 else 0
        if 0.0 < p < share and left > 0:
            found = binomial(stream, left, p / share)
        counts[at + k] = found
        left -= found
        share -= p
    counts[at + length - 1] = left


@function
def multivariate_hypergeometric(
    stream: Any,
    total: Any,
    weights: Any,
    first: Any,
    jump: Any,
    counts: Any,
    at: Any,
    length: Any,
) -> None:
    """Balls by colour: hypergeometric numbers of what is left, one colour after the other."""
    left, rest = total, 0
    for k in range(length):
        rest += weights[first + k * jump]
    for k in range(length):
        balls = weights[first + k * jump]
        rest -= balls
        found = hypergeometric(stream, balls, rest, left) if left > 0 else 0
        counts[at + k] = found
        left -= found
