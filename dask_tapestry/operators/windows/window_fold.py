"""WindowFold: sums, means, minima and maxima of box windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.windows.window_operator import WindowOperator
from dask_tapestry.teg import Tensor, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.casts import from_double

Block = np.ndarray[Any, Any]
Fold = Literal["sum", "mean", "minimum", "maximum"]


@dataclass(frozen=True)
class WindowFold(WindowOperator):
    """The sum, mean, minimum or maximum of all cells of a window; NaN if one of them is.

    A mean, and a sum of floats, is that of doubles, which are summed pairwise, and converted to the
    result's dtype as C does.
    """

    name = "windowfold"
    kernel = "windowfold"
    fold: Fold

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {**super().arguments(inputs, box, boxes), "fold": self.fold}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * sum((n - 1).bit_length() + 1 for n in self.window if n > 1)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return 4 * 8 * min(box.size, max(2**15, 16 * self.cells()))

    def _what(self) -> str:
        return f", {self.fold}"

    def reference(self, *inputs: Block) -> Block:
        every = self.windows(inputs[0])
        axes = tuple(range(every.ndim - len(self.window), every.ndim))
        if self.fold == "sum":
            work = self.dtype if self.dtype.kind in "iu" else np.dtype(np.float64)
            return np.asarray(every.sum(axes, dtype=work)).astype(self.dtype)
        if self.fold == "mean":
            return from_double(every.mean(axes, dtype=np.float64), self.dtype)
        least = every.min(axes) if self.fold == "minimum" else every.max(axes)
        return np.asarray(least).astype(self.dtype)


def window_fold(
    x: Tensor, window: Sequence[int], fold: Fold, dtype: np.dtype[Any] | None = None
) -> Tensor:
    """The sum, mean, minimum or maximum of each window of a real tensor that lies within it.

    Parameters
    ----------
    window
        Cells along each axis.
    dtype
        Of the result; that of `x` by default.

    Raises
    ------
    ShapeError
        If no window fits.
    """
    own = x.type.dtype if dtype is None else dtype
    return apply(WindowFold(tuple(window), (1,) * len(window), own, fold), x)
