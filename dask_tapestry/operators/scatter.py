"""Scatter: a tensor with the cells at given indices replaced, as ``x[i, j] = values``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.broadcast import broadcast, broadcast_shape
from dask_tapestry.operators.elementwise import astype
from dask_tapestry.teg import Progression, Region, Selector, Tensor, TensorType, apply
from dask_tapestry.teg.chunking import Chunks, Known
from dask_tapestry.teg.operator import Restriction, Types, uniform
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Scatter(Selector):
    """The first input with the last one's cells at the indices that the inputs between hold.

    The indices, one tensor for each of `axes`, have one shape J. The last input's dimensions are
    those of the first that are not in `axes`, with J's inserted at `at`. Of several values for one
    cell the last in C order of J wins, as in NumPy.
    """

    name = "scatter"
    kernel = "put"
    transparent = True
    copies = True
    axes: tuple[int, ...]
    at: int

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]

    regularity = uniform

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        _, *places, _ = inputs
        shape = (0,) * places[0].ndim if box.is_empty else places[0].shape
        here = ZRange((0,) * len(shape), shape)
        kept = [dim for dim in range(box.ndim) if dim not in self.axes]
        lo, hi = [box.lo[d] for d in kept], [box.hi[d] for d in kept]
        wanted = ZRange(
            (*lo[: self.at], *here.lo, *lo[self.at :]), (*hi[: self.at], *here.hi, *hi[self.at :])
        )
        return (box, *(here,) * len(places), wanted)

    def flops(self, inputs: Types, box: ZRange) -> int:
        """One for each cell that may be replaced: its index is looked at."""
        return self.demand(inputs, box)[-1].size

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "axes": self.axes,
            "at": self.at,
            "extents": tuple(inputs[0].shape[axis] for axis in self.axes),
            "origin": tuple(box.lo[axis] for axis in self.axes),
        }

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """`axes` whole, as any index may be met; the other axes exactly."""
        _, *places, _ = inputs
        x = inputs[0]
        parts = [
            Progression(0, 1, x.shape[dim]) if dim in self.axes else part
            for dim, part in enumerate(region)
        ]
        kept = [parts[dim] for dim in range(x.ndim) if dim not in self.axes]
        whole = Region.whole(places[0].shape)
        reads = Region((*kept[: self.at], *whole, *kept[self.at :]))
        return Restriction(self, (Region(parts), *(whole,) * len(places), reads), Region(parts))

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        return chunks[0]

    def text(self) -> str:
        return f"axes={self.axes}, at={self.at}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, *places, values = inputs
        result = x.copy()
        front = np.moveaxis(result, self.axes, range(len(self.axes)))
        rank = places[0].ndim
        front[tuple(places)] = np.moveaxis(values, range(self.at, self.at + rank), range(rank))
        return result


def scatter(
    x: Tensor, places: Sequence[Tensor], axes: Sequence[int], at: int, values: Tensor
) -> Tensor:
    """`x` with `values`, which broadcast, at the indices `places` of `axes`.

    Raises
    ------
    DTypeError
        If the indices are not integers.
    ShapeError
        If indices or values do not broadcast.
    """
    for p in places:
        if p.type.dtype.kind not in "iu":
            raise DTypeError(f"places are integers, not {p.type}")
    shape = broadcast_shape([p.type.shape for p in places], "indexing arrays")
    kept = [n for dim, n in enumerate(x.type.shape) if dim not in axes]
    full = (*kept[:at], *shape, *kept[at:])
    ordered = sorted(zip(axes, places, strict=True), key=lambda pair: pair[0])
    whole = [broadcast(p, shape) for _, p in ordered]
    given = broadcast(astype(values, x.type.dtype), full)
    return apply(Scatter(tuple(axis for axis, _ in ordered), at), x, *whole, given)
