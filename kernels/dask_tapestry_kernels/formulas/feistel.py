"""Keyed bijections of the numbers below a power of two, the same for every device.

`feistel` takes an array of NumPy, or is compiled as a function of one number.

Source: Luby and Rackoff, "How to construct pseudorandom permutations", SIAM J. Comput. 17.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.formulas.philox_rounds import Pair

ROUNDS: Final = 8
FEWEST_BITS: Final = 2  # one for each half


@lru_cache(maxsize=64)
def round_keys(key: Pair, draw: Pair) -> tuple[np.uint64, ...]:
    """The key of each round: the first random bits of a draw."""
    counter = np.array([0, draw[1], draw[0], 0], np.uint64)
    return tuple(np.random.Philox(key=np.array(key, np.uint64), counter=counter).random_raw(ROUNDS))


def bits_below(extent: int) -> int:
    """Bits of the numbers among which those below `extent` are moved."""
    return max((extent - 1).bit_length(), FEWEST_BITS)


def feistel(numbers: Any, bits: Any, keys: Any) -> Any:
    """A bijection of numbers of `bits` bits: in turn each half is changed by a hash of the other.

    Of a hash the high bits depend on all bits of what it is made of.
    """
    low = np.uint64(bits // 2)
    high = np.uint64(bits) - low
    left, right = numbers >> low, numbers & ((np.uint64(1) << low) - np.uint64(1))
    for number, key in enumerate(keys):
        mixed = ((left if number % 2 else right) ^ key) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
        mixed *= np.uint64(0xD6E8FEB86659FD93)
        if number % 2:
            right ^= mixed >> (np.uint64(64) - low)
        else:
            left ^= mixed >> (np.uint64(64) - high)
    return (left << low) | right
