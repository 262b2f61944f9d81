"""AffinePoints: a spline at the points of a grid that is turned, stretched and moved."""

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
from dask_tapestry_kernels.parameters.splines import Spline

Block = np.ndarray[Any, Any]
Matrix = tuple[tuple[float, ...], ...]
Span = tuple[int, int]
FLOPS_A_WEIGHT = 8  # and of bringing coordinates into range


@dataclass(frozen=True)
class AffinePoints(Operator):
    """Cell o is the value of a spline at ``matrix @ o + offset``, in a plane of axes.

    A box of the result lies in a parallelepiped of the coefficients; what is read is the box around
    that, and where it reaches beyond the ends, what the mode says is there.

    Attributes
    ----------
    spline
        Which coefficients there are in all, and what lies beyond them.
    matrix, offset
        Coordinates before padding, of those of the result.
    axes, outs
        Axes of the operand and of the result that they are along. The other axes, as many of both,
        follow each other in order.
    places
        The coordinates of the result that the cells have, along `outs`.
    counts
        Shape of the result.
    origin
        Where along `axes` the first cell of the operand lies.
    dtype
        Of the result; integers are rounded.
    """

    name = "affinepoints"
    kernel = "affinepoints"
    category = "block"
    fills = True
    spline: Spline
    matrix: Matrix
    offset: tuple[float, ...]
    axes: tuple[int, ...]
    outs: tuple[int, ...]
    places: tuple[Progression, ...]
    counts: tuple[int, ...]
    origin: tuple[int, ...]
    dtype: np.dtype[Any]

    def infer(self, *inputs: TensorType) -> TensorType:
        dims = inputs[0].dims if len(self.counts) == inputs[0].ndim else None
        return TensorType(self.counts, self.dtype, dims)

    def _others(self) -> list[tuple[int, int]]:
        """Axes of the operand and of the result that follow each other."""
        both = len(self.counts) - len(self.outs)
        own = [d for d in range(len(self.axes) + both) if d not in self.axes]
        made = [d for d in range(len(self.counts)) if d not in self.outs]
        return list(zip(own, made, strict=True))

    def _numbers(self, box: ZRange) -> list[Span]:
        """Least and greatest coordinate of the whole result in a box, along `outs`."""
        return [
            (p.start + p.step * box.lo[out], p.start + p.step * (box.hi[out] - 1))
            for p, out in zip(self.places, self.outs, strict=True)
        ]

    def _reads(self, box: ZRange) -> list[Span]:
        """Cells of the operand along `axes` that a box of the result is made of."""
        if any(box.lo[out] == box.hi[out] for out in self.outs):
            return [(begin, begin) for begin in self.origin]
        numbers, spans = self._numbers(box), []
        for row, begin, n in zip(self.matrix, self.offset, self.spline.lengths, strict=True):
            low = high = begin
            for (first, last), factor in zip(numbers, row, strict=True):
                near, far = (first, last) if factor >= 0 else (last, first)
                low, high = low + near * factor, high + far * factor
            ends = low + self.spline.pad, high + self.spline.pad
            spans.append(cells_read(*ends, n, self.spline.order, self.spline.mode))
        return spans

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        lo, hi = [0] * inputs[0].ndim, [0] * inputs[0].ndim
        for own, made in self._others():
            lo[own], hi[own] = box.lo[made], box.hi[made]
        spans = zip(self.axes, self._reads(box), self.origin, strict=True)
        for axis, (first, end), begin in spans:
            lo[axis], hi[axis] = first - begin, end - begin
        return (ZRange(lo, hi),)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """The part alone, of the box of coefficients around its points."""
        if not all(p.count for p in region):
            return None
        places = tuple(
            Progression(p.start + p.step * r.start, p.step * r.step, r.count)
            for p, r in zip(self.places, [region[out] for out in self.outs], strict=True)
        )
        counts = tuple(p.count for p in region)
        part = replace(self, places=places, counts=counts)
        spans = part._reads(ZRange.of_shape(counts))
        part = replace(part, origin=tuple(first for first, _ in spans))
        reads: list[Progression] = [Progression(0, 1, 0)] * inputs[0].ndim
        for own, made in self._others():
            reads[own] = region[made]
        for axis, (first, end), begin in zip(self.axes, spans, self.origin, strict=True):
            reads[axis] = Progression(first - begin, 1, end - first)
        return Restriction(part, (Region(reads),), region)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        lo = [boxes[0].lo[axis] for axis in self.axes]
        origin = tuple([o + b for o, b in zip(self.origin, lo, strict=True)])
        steps = [p.step for p in self.places]
        spans = zip(self._numbers(box), steps, strict=True)
        numbers = tuple(range(first, last + 1, step) for (first, last), step in spans)
        own: dict[str, Any] = {"matrix": self.matrix, "offset": self.offset, "numbers": numbers}
        own |= {"axes": self.axes, "outs": self.outs, "shape": box.shape, "spline": self.spline}
        return own | {"origin": origin, "dtype": self.dtype}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * point_flops(self.spline)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return point_bytes(self.spline, box.size)

    def text(self) -> str:
        how = f"order {self.spline.order}, {self.spline.mode}"
        rows = "; ".join(" ".join(f"{c:.4g}" for c in row) for row in self.matrix)
        return f"{how}, [{rows}] + {[round(c, 3) for c in self.offset]}"

    def reference(self, *inputs: Block) -> Block:
        return kernel_reference(self, *inputs)


def point_flops(spline: Spline) -> int:
    """Operations that the value of a spline at a point takes."""
    rank, taps = len(spline.lengths), spline.order + 1
    terms: int = taps**rank
    return terms * (1 + rank) + FLOPS_A_WEIGHT * rank * taps


def point_bytes(spline: Spline, cells: int) -> int:
    """Bytes that computing so many points takes: coordinates, cells and weights of a tile."""
    rank = len(spline.lengths)
    return min(cells, 2**14) * (16 * rank + 16 * rank * (spline.order + 1) + 24)


def affine_points(
    x: Tensor,
    spline: Spline,
    matrix: Matrix,
    offset: Sequence[float],
    axes: Sequence[int],
    outs: Sequence[int],
    counts: Sequence[int],
    dtype: np.dtype[Any],
) -> Tensor:
    """The spline with coefficients `x` at the points of an affine map, as `AffinePoints` says."""
    progressions = tuple(Progression(0, 1, counts[out]) for out in outs)
    origin = (0,) * len(axes)
    own = AffinePoints(
        spline,
        matrix,
        tuple(offset),
        tuple(axes),
        tuple(outs),
        progressions,
        tuple(counts),
        origin,
        dtype,
    )
    return apply(own, x)
