"""WindowSum: weighted sums of windows, in double precision and in a fixed order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.windows.window_operator import WindowOperator
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.casts import from_double

Place = tuple[int, ...]
Block = np.ndarray[Any, Any]


@dataclass(frozen=True)
class WindowSum(WindowOperator):
    """The sum of terms ``weight * x[place]``, then of ``weight * (x[place] + sign * x[mirror])``.

    Terms are added in their order to a double, which is divided, and converted to the dtype of the
    result as C does: towards zero, integers modulo their range.

    Attributes
    ----------
    singles
        Places in the window of the first terms, and their weights.
    pairs
        Place, place of the mirrored cell and weight of each of the others.
    sign
        1 or -1.
    divisor
        What the sum is divided by; nothing is done for 1.
    """

    name = "windowsum"
    kernel = "windowsum"
    singles: tuple[tuple[Place, float], ...]
    pairs: tuple[tuple[Place, Place, float], ...] = ()
    sign: int = 1
    divisor: float = 1.0

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        own: dict[str, Any] = {"singles": self.singles, "pairs": self.pairs, "sign": self.sign}
        own |= {"divisor": self.divisor}
        return {**super().arguments(inputs, box, boxes), **own}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * (2 * len(self.singles) + 3 * len(self.pairs) + 1)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return min(box.size, 2**16) * 16

    def _what(self) -> str:
        return f", {len(self.singles) + 2 * len(self.pairs)} weights"

    def reference(self, *inputs: Block) -> Block:
        x = inputs[0].astype(np.float64)
        total = np.zeros(self.windows(x).shape[: len(self.window)])
        for place, weight in self.singles:
            total = total + self.cells_at(x, place) * weight
        for place, mirror, weight in self.pairs:
            one, other = self.cells_at(x, place), self.cells_at(x, mirror)
            total = total + (one + other if self.sign > 0 else one - other) * weight
        return from_double(total / self.divisor, self.dtype)


def window_sum(
    x: Tensor,
    window: Sequence[int],
    singles: Sequence[tuple[Place, float]],
    pairs: Sequence[tuple[Place, Place, float]] = (),
    sign: int = 1,
    dtype: np.dtype[Any] | None = None,
    divisor: float = 1.0,
) -> Tensor:
    """The weighted sum of each window of a real tensor that lies within it.

    Parameters
    ----------
    window
        Cells along each axis.
    singles, pairs, sign, divisor
        As `WindowSum` has them.
    dtype
        Of the result; that of `x` by default.

    Raises
    ------
    ShapeError
        If no window fits.
    """
    own = x.type.dtype if dtype is None else dtype
    steps = (1,) * len(window)
    made = WindowSum(tuple(window), steps, own, tuple(singles), tuple(pairs), sign, divisor)
    return apply(made, x)
