"""Philox4x64-10 as a compiled loop: bits, or fractions made of them, for runs of coordinates.

A cell takes 20 products of 64-bit numbers for four cells, 1.6 ns; vector instructions have no such
products, and made of products of halves they were slower.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

Block = np.ndarray[Any, Any]
ROUNDS: Final = 10
ARITY: Final = 10
FACTORS: Final = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
STEPS: Final = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)


class Fraction(NamedTuple):
    """Numbers made of random bits: those but the last `drop`, plus `least`, of all there could be.

    So they lie in ``[0, 1)``, or with `least` 1 in ``(0, 1]``.
    """

    drop: int
    least: float
    dtype: np.dtype[Any]

    def of(self, bits: Block) -> Block:
        """The numbers."""
        kept: Any = (bits >> np.uint64(self.drop)).astype(np.int64)  # converts twice as fast
        if self.least:
            kept = kept + (int(self.least) if self.least == int(self.least) else self.least)
        return np.asarray(kept.astype(self.dtype) * self.dtype.type(2.0 ** (self.drop - 64)))

    def text(self) -> str:
        """The same as an expression of `bits`."""
        kept = f"np.int64(bits >> np.uint64({self.drop}))"
        if self.least:
            whole = self.least == int(self.least)
            least = f"np.int64({int(self.least)})" if whole else repr(self.least)
            kept = f"({kept} + {least})"
        name, factor = self.dtype.name, 2.0 ** (self.drop - 64)
        return f"np.{name}({kept}) * np.{name}({factor!r})"


TEXT: Final = """\
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import pointer
from dask_tapestry_kernels.elementary.number_intrinsics import wide_product


def four(a, b, c, d, key_a, key_b):
{rounds}
    return a, b, c, d


four = njit(four, inline="always")


def made(bits):
    return {made}


made = njit(made, inline="always")


def fill(out, starts, runs, length, step, key_a, key_b, call, part, page):
    one, two, three, zero = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(0)
    k, l, p, q = np.uint64(key_a), np.uint64(key_b), np.uint64(part), np.uint64(call)
    s = np.uint64(page)
    begin = carray(pointer(starts), (runs,), np.uint64)
    for run in range(runs):
        o = carray(pointer(out + run * length * {size}), (length,), np.{name})
        place, held = begin[run], zero
        a = b = c = d = zero
        head, done = length, length
        if step == 1:
            head = min(length, np.int64((np.uint64(4) - (place & three)) & three))
            many = (length - head) // 4
            done = head + 4 * many
            first = ((place + np.uint64(head)) >> two) + one
            z = carray(pointer(out + (run * length + head) * {size}), (4 * many,), np.{name})
            for n in range(many):
                a, b, c, d = four(first + np.uint64(n), p, q, s, k, l)
                z[4 * n] = made(a)
                z[4 * n + 1] = made(b)
                z[4 * n + 2] = made(c)
                z[4 * n + 3] = made(d)
        for begun, end in ((0, head), (done, length)):
            for i in range(begun, end):
                at = place + np.uint64(i) * np.uint64(step)
                counter = (at >> two) + one
                if counter != held:
                    a, b, c, d = four(counter, p, q, s, k, l)
                    held = counter
                lane = at & three
                o[i] = made(a if lane == zero else b if lane == one else c if lane == two else d)


kernel = njit("void({arguments})", nogil=True, error_model="numpy")(fill)
"""
ROUND: Final = """\
    e, f = wide_product(np.uint64({factor_a}), a)
    g, h = wide_product(np.uint64({factor_b}), c)
    a, b, c, d = g ^ b ^ (key_a + np.uint64({key_a})), h, e ^ d ^ (key_b + np.uint64({key_b})), f
"""


@lru_cache(maxsize=16)
def source(fraction: Fraction | None) -> str:
    """The text of a module that fills runs with bits, or with fractions."""
    keys = [[number * step % 2**64 for step in STEPS] for number in range(ROUNDS)]
    rounds = "".join(
        ROUND.format(factor_a=FACTORS[0], factor_b=FACTORS[1], key_a=a, key_b=b) for a, b in keys
    )
    dtype = np.dtype(np.uint64) if fraction is None else fraction.dtype
    return TEXT.format(
        rounds=rounds.rstrip(),
        made="bits" if fraction is None else fraction.text(),
        name=dtype.name,
        size=dtype.itemsize,
        arguments=", ".join(["int64"] * ARITY),
    )
