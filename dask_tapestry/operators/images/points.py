"""Points: a spline at points whose coordinates are tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.images.affine_points import point_bytes, point_flops
from dask_tapestry.operators.images.spline_reads import cells_read
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.teg import Progression, Region, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Operator, Restriction, Types
from dask_tapestry.teg.regularity import ANYWHERE, Regularity
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.splines import Spline

Block = np.ndarray[Any, Any]
Span = tuple[int, int]


@dataclass(frozen=True)
class Points(Operator):
    """Cell o is the value of a spline at the coordinates that the other inputs have at o.

    The first input holds the coefficients. A block reads all of them, but where `bounds` tell how
    far its coordinates lie apart: then the box around its points.

    Attributes
    ----------
    spline
        Which coefficients there are in all, and what lies beyond them.
    origin
        Where along each axis the first cell of the first input lies.
    bounds
        Of coordinates, rounded down, where they are known.
    dtype
        Of the result; integers are rounded.
    """

    name = "points"
    kernel = "points"
    category = "block"
    fills = True
    spline: Spline
    origin: tuple[int, ...]
    bounds: IndexRanges | None
    dtype: np.dtype[Any]

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(inputs[1].shape, self.dtype, inputs[1].dims)

    def _reads(self, x: TensorType, box: ZRange) -> list[Span]:
        """Cells of the first input that a box of the result is made of, from `origin` on."""
        if box.is_empty:
            return [(begin, begin) for begin in self.origin]
        if self.bounds is None:
            return [(o, o + n) for o, n in zip(self.origin, x.shape, strict=True)]
        found = []
        for axis, n in enumerate(self.spline.lengths):
            low, high = (float(c + self.spline.pad) for c in self.bounds.hull(axis, box))
            found.append(cells_read(low, high, n, self.spline.order, self.spline.mode))
        return found

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        spans = list(zip(self._reads(inputs[0], box), self.origin, strict=True))
        cells = ZRange([a - o for (a, _), o in spans], [b - o for (_, b), o in spans])
        return (cells, *(box,) * len(self.spline.lengths))

    def regularity(self, inputs: Types) -> Regularity:
        """Along the first axis of the points their values tell what is read, where known."""
        rank = inputs[1].ndim
        first = None if self.bounds is not None else ANYWHERE
        return (first, *(ANYWHERE,) * (rank - 1))

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """Fewer points, and where their bounds are known fewer coefficients."""
        if not all(p.count for p in region):
            return None
        bounds = self.bounds.restrict(region) if self.bounds is not None else None
        part = replace(self, bounds=bounds)
        spans = part._reads(inputs[0], ZRange.of_shape(region.shape))
        part = replace(part, origin=tuple(first for first, _ in spans))
        reads = [
            Progression(a - begin, 1, b - a)
            for (a, b), begin in zip(spans, self.origin, strict=True)
        ]
        return Restriction(part, (Region(reads), *(region,) * len(self.origin)), region)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        origin = tuple(o + b for o, b in zip(self.origin, boxes[0].lo, strict=True))
        return {"spline": self.spline, "origin": origin, "dtype": self.dtype}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * point_flops(self.spline)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return point_bytes(self.spline, box.size)

    def text(self) -> str:
        known = ", coordinates known" if self.bounds is not None else ""
        return f"order {self.spline.order}, {self.spline.mode}{known}"

    def reference(self, *inputs: Block) -> Block:
        return kernel_reference(self, *inputs)


def points(
    x: Tensor,
    coordinates: Sequence[Tensor],
    spline: Spline,
    bounds: IndexRanges | None,
    dtype: np.dtype[Any],
) -> Tensor:
    """The spline with coefficients `x` at points, as `Points` says.

    Parameters
    ----------
    coordinates
        Doubles, for each axis, of the shape of the result.
    """
    return apply(Points(spline, (0,) * x.type.ndim, bounds, dtype), x, *coordinates)


def bounds_of(coordinates: Block) -> IndexRanges | None:
    """Bounds of known coordinates (axis, points), rounded down.

    Examples
    --------
    >>> bounds_of(np.array([[0.5, 7.25]])).hull(0, ZRange([0], [2]))
    (0, 8)
    """
    with np.errstate(invalid="ignore"):
        lower = np.nan_to_num(np.floor(coordinates), nan=0.0, posinf=2.0**40, neginf=-(2.0**40))
        return IndexRanges.of(list(np.clip(lower, -(2.0**40), 2.0**40).astype(np.int64)))
