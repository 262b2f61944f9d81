"""Philox4x64-10 compiled by numba: bits for runs of coordinates, 2.5 ns a cell however short.

Importing this module takes .2 s and the first call .35 s more, so that `random` does so only when
the runs it was asked for would have paid for it.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

Block = np.ndarray[Any, Any]

ROUNDS: Final = 10
FACTORS: Final = (np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157))
STEPS: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B))
FACTOR_A, FACTOR_B = FACTORS
STEP_A, STEP_B = STEPS


def _write_product(typing_context: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
    """How to compile the high and the low half of a product of two 64-bit numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        wide, narrow = ir.IntType(128), ir.IntType(64)
        x, y = (builder.zext(argument, wide) for argument in arguments)
        product = builder.mul(x, y)
        high = builder.trunc(builder.lshr(product, ir.Constant(wide, 64)), narrow)
        halves = [high, builder.trunc(product, narrow)]
        return context.make_tuple(builder, signature.return_type, halves)

    return types.UniTuple(types.uint64, 2)(types.uint64, types.uint64), generate


_product: Any = intrinsic(_write_product)


@njit(inline="always")
def _philox(a: Any, b: Any, c: Any, d: Any, key_a: Any, key_b: Any) -> Any:
    """Four numbers for a counter of four."""
    for _ in range(ROUNDS):
        high_a, low_a = _product(FACTOR_A, a)
        high_b, low_b = _product(FACTOR_B, c)
        a, b, c, d = high_b ^ b ^ key_a, low_b, high_a ^ d ^ key_b, low_a
        key_a += STEP_A
        key_b += STEP_B
    return a, b, c, d


@njit(nogil=True)
def fill(
    out: Block, starts: Block, step: Any, key: tuple[Any, Any], draw: tuple[Any, Any]
) -> None:  # pragma: no cover  (compiled)
    """Write run r, the numbers at ``starts[r] + step * i``, into ``out[r]``."""
    zero, one, two, three = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
    for run in range(out.shape[0]):
        place, held = starts[run], zero
        a = b = c = d = zero
        for i in range(out.shape[1]):
            counter = (place >> two) + one
            if counter != held:
                a, b, c, d = _philox(counter, draw[1], draw[0], zero, key[0], key[1])
                held = counter
            lane = place & three
            out[run, i] = a if lane == zero else b if lane == one else c if lane == two else d
            place += step
