"""Philox4x64-10 as a compiled loop: bits, or fractions made of them, for runs of coordinates.

A cell takes 20 products of 64-bit numbers for four cells, 1.6 ns; vector instructions have no such
products, and made of products of halves they were slower.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from dask_tapestry_kernels.formulas.philox_rounds import Fraction, rounds

ARITY: Final = 10

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


@lru_cache(maxsize=16)
def source(fraction: Fraction | None) -> str:
    """The text of a module that fills runs with bits, or with fractions."""
    dtype = np.dtype(np.uint64) if fraction is None else fraction.dtype
    return TEXT.format(
        rounds="\n".join([f"    {line}" for line in rounds()]),
        made="bits" if fraction is None else fraction.text(),
        name=dtype.name,
        size=dtype.itemsize,
        arguments=", ".join(["int64"] * ARITY),
    )
