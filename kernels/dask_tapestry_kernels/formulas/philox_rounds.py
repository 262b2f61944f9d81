"""Philox4x64-10 as statements, and fractions made of its bits, the same for every device.

Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

Block = np.ndarray[Any, Any]
Pair = tuple[int, int]
ROUNDS: Final = 10
FACTORS: Final = (0xD2E7470EE14C6C93, 0xCA5A826395121157)
STEPS: Final = (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)
ROUND: Final = """\
e, f = wide_product(np.uint64({factor_a}), a)
g, h = wide_product(np.uint64({factor_b}), c)
a, b, c, d = g ^ b ^ (key_a + np.uint64({key_a})), h, e ^ d ^ (key_b + np.uint64({key_b})), f
"""


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
        """The fraction as the text of an expression of `bits`."""
        kept = f"np.int64(bits >> np.uint64({self.drop}))"
        if self.least:
            whole = self.least == int(self.least)
            least = f"np.int64({int(self.least)})" if whole else repr(self.least)
            kept = f"({kept} + {least})"
        name, factor = self.dtype.name, 2.0 ** (self.drop - 64)
        return f"np.{name}({kept}) * np.{name}({factor!r})"


def rounds() -> list[str]:
    """Statements that turn a counter ``a, b, c, d`` into four words, by ``key_a`` and ``key_b``."""
    keys = [[number * step % 2**64 for step in STEPS] for number in range(ROUNDS)]
    texts = [
        ROUND.format(factor_a=FACTORS[0], factor_b=FACTORS[1], key_a=a, key_b=b) for a, b in keys
    ]
    return "".join(texts).splitlines()
