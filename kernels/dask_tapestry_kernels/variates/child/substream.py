"""Random words of one cell: as many as are asked for, whatever other cells take.

Word w of cell c is word ``w % 4`` of Philox4x64-10 at the counter ``(c, 2**63 + 256 * (w // 4) +
part, call, page)`` with the key of the seed. The generators of fixed draws leave the highest bit of
the counter's second word clear, so that no word is given twice.

A stream is `LENGTH` words of 8 bytes: four random ones, how many of them were taken, the number of
the next four, the key, and the counter; then the bits of what a draw remembers from cell to cell.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.elementary.compiled_functions import inlined, jit, keep_apart, words
from dask_tapestry_kernels.elementary.number_intrinsics import (
    float64_bits,
    float64_of,
    wide_product,
)
from dask_tapestry_kernels.formulas.philox_rounds import FACTORS, ROUNDS, STEPS

TAKEN, BLOCK, KEY, CELL, PART, CALL, PAGE = 4, 5, 6, 8, 9, 10, 11
MEMORY: Final = 12  # from here on a draw remembers numbers
MEMORIES: Final = 6
LENGTH: Final = MEMORY + MEMORIES
OWN: Final = np.uint64(2**63)  # the bit of the counter that no other generator sets
FACTOR_A, FACTOR_B = (np.uint64(factor) for factor in FACTORS)
STEP_A, STEP_B = (np.uint64(step) for step in STEPS)
TO_UNIT: Final = 2.0**-53

reserve: Final = words(LENGTH)
# Compiled when a kernel calls it, with arguments of one type each: all take 11 s. Whether it is
# inlined would otherwise be inherited from its first caller.
function: Final = jit(
    nogil=True,
    error_model="numpy",
    forceinline=False,
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
)


@function
def refill(stream: Any) -> None:
    """Make the next four words of the cell."""
    keep_apart()
    block = stream[BLOCK]
    stream[BLOCK] = block + 1
    stream[TAKEN] = 0
    part = np.uint64(stream[PART])
    a = np.uint64(stream[CELL])
    b = OWN + (np.uint64(block) << np.uint64(8)) + part
    c, d = np.uint64(stream[CALL]), np.uint64(stream[PAGE])
    k, m = np.uint64(stream[KEY]), np.uint64(stream[KEY + 1])
    for _ in range(ROUNDS):
        e, f = wide_product(FACTOR_A, a)
        g, h = wide_product(FACTOR_B, c)
        a, b, c, d = g ^ b ^ k, h, e ^ d ^ m, f
        k += STEP_A
        m += STEP_B
    stream[0] = np.int64(a)
    stream[1] = np.int64(b)
    stream[2] = np.int64(c)
    stream[3] = np.int64(d)


@function
def open_at(stream: Any, key_a: Any, key_b: Any, call: Any, part: Any) -> None:
    """Set what all cells share, and forget what was remembered."""
    stream[KEY] = key_a
    stream[KEY + 1] = key_b
    stream[PART] = part
    stream[CALL] = call
    for place in range(MEMORY, LENGTH):
        stream[place] = float64_bits(np.nan)  # is not equal to any parameter


@inlined
def begin(stream: Any, cell: Any, page: Any) -> None:
    """Go to the words of a cell, a uint64, of a page."""
    stream[CELL] = np.int64(cell)
    stream[PAGE] = np.int64(page)
    stream[BLOCK] = 0
    stream[TAKEN] = 4


@inlined
def word(stream: Any) -> Any:
    """The next 64 random bits, uint64."""
    if stream[TAKEN] == 4:
        refill(stream)
    taken = stream[TAKEN]
    stream[TAKEN] = taken + 1
    return np.uint64(stream[taken])


@inlined
def uniform(stream: Any) -> Any:
    """A number in ``[0, 1)``, a multiple of 2**-53."""
    return np.float64(np.int64(word(stream) >> np.uint64(11))) * TO_UNIT


@inlined
def positive_uniform(stream: Any) -> Any:
    """A number in ``(0, 1]``, a multiple of 2**-53."""
    return np.float64(np.int64(word(stream) >> np.uint64(11)) + 1) * TO_UNIT


@inlined
def remembers(stream: Any, place: Any, first: Any, second: Any) -> Any:
    """Whether the number at a place was kept for these two parameters."""
    at = MEMORY + place
    return float64_of(stream[at + 1]) == first and float64_of(stream[at + 2]) == second


@inlined
def keep(stream: Any, place: Any, first: Any, second: Any, number: Any) -> None:
    """Keep a number for two parameters."""
    stream[MEMORY + place] = float64_bits(number)
    stream[MEMORY + place + 1] = float64_bits(first)
    stream[MEMORY + place + 2] = float64_bits(second)


@inlined
def kept(stream: Any, place: Any) -> Any:
    """The number that was kept."""
    return float64_of(stream[MEMORY + place])
