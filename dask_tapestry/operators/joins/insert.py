"""Insert: a tensor with a strided box of it replaced, as ``x[a:b:c] = values``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Progression, Region, Selector, Tensor, TensorType, apply
from dask_tapestry.teg.chunking import Chunks, Known
from dask_tapestry.teg.operator import Formats, Restriction, Types
from dask_tapestry.teg.regularity import Regular, Regularity
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.block_format import BlockFormat


@dataclass(frozen=True)
class Insert(Selector):
    """The first input with the region `into` of it replaced by the second, of that shape."""

    name = "insert"
    kernel = "insert"
    transparent = True
    copies = True
    into: tuple[Progression, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]

    def _coordinates_in(self, box: ZRange) -> ZRange:
        """Coordinates of the second input whose cells lie in `box`."""
        lo, hi = [], []
        for part, a, b in zip(self.into, box.lo, box.hi, strict=True):
            first = min(max(0, -(-(a - part.start) // part.step)), part.count)
            lo.append(first)
            hi.append(max(first, min(part.count, -(-(b - part.start) // part.step))))
        return ZRange(tuple(lo), tuple(hi))

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        inside = self._coordinates_in(box)
        if inside.shape == box.shape:
            return ZRange(box.lo, box.lo), inside
        return box, inside

    def format_of(self, inputs: Types, formats: Formats) -> BlockFormat | None:
        return formats[0]

    def regularity(self, inputs: Types) -> Regularity:
        """Along each axis another rule holds before, in and behind the region."""
        return tuple([Regular(p.step, (p.start, p.start + p.step * p.count)) for p in self.into])

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        index = []
        for part, first, end, origin in zip(
            self.into, boxes[1].lo, boxes[1].hi, box.lo, strict=True
        ):
            start = part.start + part.step * first - origin
            index.append(slice(start, start + part.step * (end - first), part.step))
        return {"index": tuple(index), "shape": box.shape}

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        return (True, True)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """The hull of the region along each axis, and what is inserted in it."""
        hull = [Progression.of(p.start, 1, p.stop - p.start) for p in region]
        box = ZRange(tuple(p.start for p in hull), tuple(p.stop for p in hull))
        inside = self._coordinates_in(box)
        into = tuple(
            Progression(part.start + part.step * a - lo, part.step, b - a)
            if b > a
            else Progression(0, 1, 0)
            for part, a, b, lo in zip(self.into, inside.lo, inside.hi, box.lo, strict=True)
        )
        return Restriction(Insert(into), (Region(hull), Region.box(inside)), Region(hull))

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        return chunks[0]

    def text(self) -> str:
        return ", ".join(f"{p.start}:{p.stop}:{p.step}" for p in self.into)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        result = inputs[0].copy()
        result[tuple(slice(p.start, p.stop, p.step) for p in self.into)] = inputs[1]
        return result


def insert(x: Tensor, into: tuple[Progression, ...], values: Tensor) -> Tensor:
    """`x` with the region `into` replaced by `values`, of that region's shape and `x`'s dtype.

    Raises
    ------
    ShapeError
        If the shapes differ.
    """
    shape = tuple(p.count for p in into)
    if values.type.shape != shape:
        raise ShapeError(f"values {values.type} do not fill a region of shape {shape} of {x.type}")
    if 0 in shape:
        return x
    return values if Region(into).is_whole(x.type.shape) else apply(Insert(into), x, values)


def inserted_region(x: Tensor, into: Tensor) -> tuple[Progression, ...] | None:
    """The region that `x` replaces in the value `into`; None where it is made otherwise."""
    if not isinstance(x.operator, Insert) or x.inputs[0] is not into:
        return None
    return x.operator.into
