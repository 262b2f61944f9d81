"""RowOrder: the indices that sort the rows of a matrix lexicographically."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dask_tapestry.operators.lanes import PLACES, sort_flops
from dask_tapestry.teg import BlockOperator, IndexDim, Kind, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True)
class RowOrder(BlockOperator):
    """Indices that sort the rows of a matrix, by its first column first, stably: shape (rows,).

    One block reads all rows.
    """

    name = "roworder"
    kernel = "roworder"

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(inputs[0].shape[:1], PLACES)

    def signature(self, *inputs: TensorType) -> Signature:
        rows = inputs[0].shape[0]
        reads = IndexProjection.whole(inputs[0].shape, 1)
        writes = IndexProjection(((max(rows, 1),),), (0,), (rows,))
        return Signature((IndexDim("all", 1, Kind.ATOMIC),), (reads,), (writes,))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> dict[str, Any]:
        return {"part": slice(box.lo[0], box.hi[0])}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return sort_flops(inputs[0].size, inputs[0].shape[0])

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        (x,) = inputs
        return np.lexsort(x.T[::-1]) if x.shape[1] else np.arange(x.shape[0])


def row_order(x: Tensor) -> Tensor:
    """Indices that sort the rows of a matrix lexicographically, stably: shape (rows,)."""
    return apply(RowOrder(), x)
