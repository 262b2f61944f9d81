"""Distributions: random bits turned into random values, cell by cell."""

from __future__ import annotations

from math import pi
from typing import Any, Final

import numpy as np

from dask_tapestry.operators.cells.elementwise import Operand, astype, elementwise, scalar_of
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.indexing.take import take
from dask_tapestry.operators.random.random_bits import Stream, random_bits, random_fraction
from dask_tapestry.teg import Tensor

DOUBLE, SINGLE, SIGNED = np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.int64)
LARGEST: Final = 2.0**63 - 2.0**10  # float64 that fits int64
HALF: Final = 32
LOW_HALF: Final = 2**HALF - 1


def uniform(shape: tuple[int, ...], stream: Stream, dtype: np.dtype[Any] = DOUBLE) -> Tensor:
    """Numbers in ``[0, 1)``, of as many random bits as the dtype's significand: 53, 24 or 11."""
    bits = np.finfo(dtype).nmant + 1
    made = random_fraction(shape, stream, 64 - bits, dtype if dtype == DOUBLE else SINGLE)
    return astype(made, dtype)  # exact: float16 holds multiples of 2**-11


def _fraction(bits: Tensor, drop: int, dtype: np.dtype[Any], least: float = 0) -> Tensor:
    """``((bits >> drop) + least) / 2**(64 - drop)`` in `dtype`."""
    kept = astype(elementwise("right_shift", bits, drop), SIGNED)  # converts twice as fast
    if least:
        kept = elementwise("add", kept, least)
    return elementwise("multiply", astype(kept, dtype), 2.0 ** (drop - 64))


def standard_normal(
    shape: tuple[int, ...], stream: Stream, dtype: np.dtype[Any] = DOUBLE
) -> Tensor:
    """Numbers of mean 0 and variance 1: a random radius times the cosine of a random angle.

    The radius is at most 8.57, in float32 7.45; 1e-17 of the distribution lies beyond, or 1e-13.
    Numbers of float16 are those of float32, rounded.

    Source: Box and Muller, "A note on the generation of random normal deviates", Ann. Math. Stat.
    29 (1958).
    """
    if dtype == DOUBLE:
        share = random_fraction(shape, stream, 11, dtype, least=1)
        turn = random_fraction(shape, stream._replace(part=1), 11, dtype)
    else:  # 40 bits for the radius and 24 for the angle, more than float32 tells apart
        first = random_bits(shape, stream)
        share = _fraction(first, 24, SINGLE, least=1)
        rest = astype(elementwise("bitwise_and", first, 2**24 - 1), SINGLE)
        turn = elementwise("multiply", rest, 2.0**-24)
    radius = elementwise("sqrt", elementwise("multiply", elementwise("log", share), -2.0))
    return astype(elementwise("multiply", radius, _cosine(turn)), dtype)


def _cosine(turn: Tensor) -> Tensor:
    """Cosine of an angle in turns, by the tangent of half of it.

    NumPy's cosine of float64 takes 13.8 ns a cell, its tangent 1.3.
    """
    tangent = elementwise("tan", elementwise("multiply", turn, pi))
    square = elementwise("multiply", tangent, tangent)
    return elementwise(
        "divide", elementwise("subtract", 1.0, square), elementwise("add", square, 1.0)
    )


def standard_exponential(
    shape: tuple[int, ...], stream: Stream, dtype: np.dtype[Any] = DOUBLE
) -> Tensor:
    """Numbers of rate 1: minus the logarithm of a number in ``(0, 1]``, rounded to the dtype."""
    share = random_fraction(shape, stream, 11, DOUBLE, least=1)
    return astype(elementwise("negative", elementwise("log", share)), dtype)


def open_uniform(shape: tuple[int, ...], stream: Stream) -> Tensor:
    """Numbers in ``(0, 1)``: odd multiples of 2**-53, so that with u there is 1 - u."""
    return random_fraction(shape, stream, 12, DOUBLE, least=0.5)


def geometric(shape: tuple[int, ...], stream: Stream, p: Operand) -> Tensor:
    """Trials until the first success, int64: an exponential number, rounded up."""
    chance = p if isinstance(p, Tensor) else full((), scalar_of(p, DOUBLE))
    rate = elementwise("negative", elementwise("log1p", elementwise("negative", chance)))
    trials = elementwise("ceil", elementwise("divide", standard_exponential(shape, stream), rate))
    known = elementwise("minimum", elementwise("maximum", trials, 1.0), LARGEST)
    return astype(known, SIGNED)


def laplace(shape: tuple[int, ...], stream: Stream) -> Tensor:
    """Numbers of rate 1 of either sign; a bit that the size does not use chooses the sign."""
    bits = random_bits(shape, stream)
    size = elementwise("negative", elementwise("log", _fraction(bits, 11, DOUBLE, least=1)))
    sign = astype(elementwise("bitwise_and", bits, 1), np.dtype(bool))
    return where(sign, elementwise("negative", size), size)


def integers_below(shape: tuple[int, ...], stream: Stream, count: int) -> Tensor:
    """Integers from 0 to ``count - 1`` as uint64, for a count up to 2**64.

    Probabilities differ by less than 2**-32 of themselves; for a power of two they are equal.

    Source: Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
    """
    bits = random_bits(shape, stream)
    if count & (count - 1) == 0:
        return elementwise("right_shift", bits, 65 - count.bit_length())
    if count <= 2**HALF:
        return _high_by_half(bits, count)
    return _integers_of_two(bits, stream, np.uint64(count))


def integers_below_cells(shape: tuple[int, ...], stream: Stream, counts: Tensor) -> Tensor:
    """Integers from 0 to ``counts - 1`` for each cell, all uint64; a count of 0 means 2**64."""
    bits = random_bits(shape, stream)
    below = _integers_of_two(bits, stream, counts)
    return where(elementwise("equal", counts, 0), bits, below)


def _integers_of_two(bits: Tensor, stream: Stream, count: Operand) -> Tensor:
    """The high 64 bits of ``count`` times a number of 128 bits, whose higher half is `bits`."""
    more = random_bits(bits.type.shape, stream._replace(part=1))
    carried = _high(more, count)
    low = elementwise("add", elementwise("multiply", bits, count), carried)
    carry = astype(elementwise("less", low, carried), bits.type.dtype)
    return elementwise("add", _high(bits, count), carry)


def _high_by_half(x: Tensor, count: int) -> Tensor:
    """The high 64 of the 128 bits of ``x * count``, for a count of at most 32 bits."""
    low = elementwise("multiply", elementwise("bitwise_and", x, LOW_HALF), count)
    high = elementwise("multiply", elementwise("right_shift", x, HALF), count)
    carry = elementwise("right_shift", low, HALF)
    return elementwise("right_shift", elementwise("add", high, carry), HALF)


def _high(x: Tensor, y: Operand) -> Tensor:
    """The high 64 of the 128 bits of ``x * y``, by products of halves that do not overflow."""
    x_low, x_high = _halves(x)
    y_low, y_high = _halves(y)
    low = elementwise("right_shift", elementwise("multiply", x_low, y_low), HALF)
    middle = elementwise("add", elementwise("multiply", x_high, y_low), low)
    cross = elementwise(
        "add",
        elementwise("multiply", x_low, y_high),
        elementwise("bitwise_and", middle, LOW_HALF),
    )
    carry = elementwise(
        "add", elementwise("right_shift", middle, HALF), elementwise("right_shift", cross, HALF)
    )
    return elementwise("add", elementwise("multiply", x_high, y_high), carry)


def _halves(x: Any) -> tuple[Any, Any]:
    if isinstance(x, Tensor):
        return elementwise("bitwise_and", x, LOW_HALF), elementwise("right_shift", x, HALF)
    return np.uint64(int(x) & LOW_HALF), np.uint64(int(x) >> HALF)


def search(x: Tensor, edges: Tensor) -> Tensor:
    """How many of the sorted `edges`, ``2**n - 1`` of them, each cell of `x` reaches."""
    position = full(x.type.shape, np.int64(0))
    step = (edges.type.shape[0] + 1) // 2
    while step:
        edge = take(edges, elementwise("add", position, step - 1), 0)
        passed = astype(elementwise("greater_equal", x, edge), position.type.dtype)
        position = elementwise("add", position, elementwise("multiply", passed, step))
        step //= 2
    return position
