"""Coordinates of a tensor's cells, as a tensor that is never stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dask_tapestry.cells import Span
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.teg import GeneratorOperator, Progression, Region, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.zspace import ZRange

INDEX_DTYPE = np.dtype(np.int64)


@dataclass(frozen=True)
class Coordinates(GeneratorOperator):
    """Cell o is ``places.start + places.step * o[axis]``: of `shape`, int64.

    Sliced and permuted like data, it still tells where its cells lie.

    Source: Tapestry whitepaper, "Index Nodes" and "Index Tensors".
    """

    name = "coordinates"
    kernel = "index"
    category = "index"
    shape: tuple[int, ...]
    axis: int
    places: Progression

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(self.shape, INDEX_DTYPE)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        start, step = self.places.start, self.places.step
        first, end = box.lo[self.axis], box.hi[self.axis]
        places = range(start + step * first, start + step * end, step)
        return {"axis": self.axis, "places": places, "shape": box.shape}

    def value_span(self, inputs: Types, spans: Sequence[Span | None]) -> Span | None:
        return Span(self.places.start, self.places.stop - 1) if self.places.count else None

    def block_bytes(self, type_: TensorType, box: ZRange) -> int:
        """One line of coordinates, of which the block is a view."""
        return (box.hi[self.axis] - box.lo[self.axis]) * type_.dtype.itemsize

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        part = region[self.axis]
        start = self.places.start + self.places.step * part.start
        places = Progression(start, self.places.step * part.step, part.count)
        return Restriction(Coordinates(region.shape, self.axis, places), (), region)

    def text(self) -> str:
        return f"{self.shape}, axis={self.axis}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        own = np.indices(self.shape)[self.axis]
        return np.asarray(self.places.start + self.places.step * own, INDEX_DTYPE)


def coordinates(shape: tuple[int, ...], axis: int) -> Tensor:
    """Coordinates along `axis` of the cells of a tensor of `shape`."""
    number = normalize_axis(axis, len(shape))
    return apply(Coordinates(shape, number, Progression(0, 1, shape[number])))
