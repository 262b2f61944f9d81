"""Resample: splines at the coordinates of a grid, along each axis by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.images.spline_reads import cells_read
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.teg import Progression, Region, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Operator, Restriction, Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.splines import SplineAxis

Block = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Resample(Operator):
    """Cell o is the value of a spline at the coordinates that `lines` has for o, along each axis.

    Where a coordinate is monotone in o, as here, a box of the result is made of a box of the
    coefficients: that of the cells near its least and its greatest coordinates, and where these lie
    beyond the ends, of what the mode says is there.

    Attributes
    ----------
    lines
        Where the cells of the result lie, along each axis.
    counts
        How many there are.
    origin
        Where along each axis the first cell of the operand lies: those before are not read.
    order, mode, cval
        Of the spline, what lies beyond the ends, and the constant there.
    dtype
        Of the result; integers are rounded.
    """

    name = "resample"
    kernel = "resample"
    category = "block"
    fills = True
    lines: tuple[SplineAxis, ...]
    counts: tuple[int, ...]
    origin: tuple[int, ...]
    order: int
    mode: str
    cval: float
    dtype: np.dtype[Any]

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(self.counts, self.dtype, inputs[0].dims)

    def _reads(self, axis: int, first: int, end: int) -> tuple[int, int]:
        """Cells of an axis that cells of the result are made of."""
        if first == end:
            return self.origin[axis], self.origin[axis]
        line = self.lines[axis]
        low, high = sorted(line.at(np.array([first, end - 1])).tolist())
        return cells_read(low, high, line.length, self.order, self.mode)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        ways = enumerate(zip(box.lo, box.hi, self.origin, strict=True))
        spans = [(self._reads(a, first, end), begin) for a, (first, end, begin) in ways]
        lo, hi = ([span[side] - begin for span, begin in spans] for side in (0, 1))
        return (ZRange(lo, hi),)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """The part alone, of the coefficients that it is made of."""
        if not all(p.count for p in region):
            return None
        lines = tuple(
            line._replace(start=line.start + line.step * p.start, step=line.step * p.step)
            for line, p in zip(self.lines, region, strict=True)
        )
        counts = tuple(p.count for p in region)
        part = replace(self, lines=lines, counts=counts)
        spans = [part._reads(axis, 0, count) for axis, count in enumerate(counts)]
        part = replace(part, origin=tuple(first for first, _ in spans))
        reads = [
            Progression(first - begin, 1, end - first)
            for (first, end), begin in zip(spans, self.origin, strict=True)
        ]
        return Restriction(part, (Region(reads),), region)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        origin = [o + b for o, b in zip(self.origin, boxes[0].lo, strict=True)]
        own: dict[str, Any] = {"lines": self.lines, "box": (box.lo, box.hi), "origin": origin}
        own |= {"order": self.order, "mode": self.mode, "cval": self.cval, "dtype": self.dtype}
        return own

    def flops(self, inputs: Types, box: ZRange) -> int:
        terms: int = (self.order + 1) ** box.ndim
        return box.size * terms * (1 + box.ndim)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Tables of cells and weights, and a tile of sums and terms."""
        return 40 * (self.order + 1) * sum(box.shape) + 32 * min(box.size, 2**16)

    def text(self) -> str:
        return f"order {self.order}, {self.mode}, {' x '.join(map(str, self.counts))}"

    def reference(self, *inputs: Block) -> Block:
        return kernel_reference(self, *inputs)


def resample(
    x: Tensor,
    lines: Sequence[SplineAxis],
    counts: Sequence[int],
    order: int,
    mode: str,
    cval: float,
    dtype: np.dtype[Any],
) -> Tensor:
    """The spline with coefficients `x` at a grid, as `Resample` says."""
    origin = (0,) * x.type.ndim
    return apply(Resample(tuple(lines), tuple(counts), origin, order, mode, cval, dtype), x)
