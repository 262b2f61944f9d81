"""Windows: the overlapping windows of an axis as a view, of which the last dimension is one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Progression, Region, Selector, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Restriction, Types, uniform
from dask_tapestry.zspace import ZAffineMap, ZRange


@dataclass(frozen=True)
class Windows(Selector):
    """Cell (.., o, .., j) is the input's cell ``step * o + pace * j`` along `axis`, j the last.

    Source: Tapestry whitepaper, "Sharding Convolution": windows that overlap are a projection.

    Attributes
    ----------
    axis
        Of the input; the output has it too.
    count, length
        How many windows there are, and how many cells each has.
    step, pace
        From one window to the next, and from one cell of a window to the next.
    """

    name = "windows"
    kernel = "windows"
    is_view = True
    axis: int
    count: int
    length: int
    step: int = 1
    pace: int = 1

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        shape = (*x.shape[: self.axis], self.count, *x.shape[self.axis + 1 :], self.length)
        return TensorType(shape, x.dtype, (*x.dims, None) if x.dims else None)

    regularity = uniform

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        first = self.step * box.lo[self.axis] + self.pace * box.lo[-1]
        last = self.step * (box.hi[self.axis] - 1) + self.pace * (box.hi[-1] - 1)
        empty = box.lo[self.axis] == box.hi[self.axis] or box.lo[-1] == box.hi[-1]
        lo, hi = list(box.lo[:-1]), list(box.hi[:-1])
        lo[self.axis] = min(first, inputs[0].shape[self.axis])
        hi[self.axis] = lo[self.axis] if empty else last + 1
        return (ZRange(lo, hi),)

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        return (self.length == 1 or self.count == 1,)

    def cell_map(self, inputs: Types) -> ZAffineMap:
        ndim = inputs[0].ndim
        rows = [[int(dim == axis) for dim in range(ndim + 1)] for axis in range(ndim)]
        rows[self.axis][self.axis], rows[self.axis][-1] = self.step, self.pace
        return ZAffineMap(rows, [0] * ndim, ndim + 1)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"axis": self.axis, "step": self.step, "pace": self.pace, "shape": box.shape}

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """The windows of a part of the input, further apart or with further cells."""
        starts, along = region[self.axis], region[-1]
        if not starts.count or not along.count:
            return None
        step, pace = self.step * starts.step, self.pace * along.step
        first = self.step * starts.start + self.pace * along.start
        span = step * (starts.count - 1) + pace * (along.count - 1) + 1
        regions = list(region[:-1])
        regions[self.axis] = Progression(first, 1, span)
        part = Windows(self.axis, starts.count, along.count, step, pace)
        return Restriction(part, (Region(regions),), region)

    def text(self) -> str:
        apart = f", step={self.step}, pace={self.pace}" if (self.step, self.pace) != (1, 1) else ""
        return f"axis={self.axis}, {self.count} x {self.length}{apart}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        (x,) = inputs
        if not self.count or not self.length:
            return np.empty(self.infer(TensorType(x.shape, x.dtype)).shape, x.dtype)
        spans = sliding_window_view(x, self.pace * (self.length - 1) + 1, self.axis)
        moved = np.moveaxis(spans, self.axis, 0)[:: self.step][: self.count, ..., :: self.pace]
        return np.moveaxis(moved, 0, self.axis)


def windows(x: Tensor, axis: int, length: int, step: int = 1) -> Tensor:
    """Return the windows of `length` cells along an axis, a `step` apart, as a last dimension.

    Raises
    ------
    ShapeError
        If no window fits.
    """
    side = x.type.shape[axis]
    if not 0 <= length <= side:
        raise ShapeError(f"windows of {length} cells do not fit an axis of {side}")
    count = (side - length) // step + 1
    return apply(Windows(axis, count, length, step), x)
