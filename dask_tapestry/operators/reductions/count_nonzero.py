"""CountNonzero: how many cells of a mask are true in each span of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.tuning import MOST_COUNTED_SPANS, SHORTEST_COUNTED_SPAN
from dask_tapestry.teg import BlockOperator, IndexDim, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types, by_signature, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange

COUNTS: Final = np.dtype(np.int64)


@dataclass(frozen=True)
class CountNonzero(BlockOperator):
    """Cell k, int64, counts the true cells among ``[k * span, (k + 1) * span)`` of a 1-d mask."""

    name = "countnonzero"
    kernel = "count"
    span: int

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType((-(-inputs[0].shape[0] // self.span),), COUNTS)

    def signature(self, *inputs: TensorType) -> Signature:
        reads = IndexProjection(((self.span,),), (0,), (self.span,))
        writes = IndexProjection.identity(1)
        return Signature(
            (IndexDim("span", -(-inputs[0].shape[0] // self.span)),), (reads,), (writes,)
        )

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        (wanted,) = signature_of(self, inputs).demand(box)
        return (inputs[0].clip(wanted),)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"span": self.span}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * self.span

    def text(self) -> str:
        return f"span={self.span}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        (mask,) = inputs
        starts = range(0, len(mask), self.span)
        return np.array([mask[a : a + self.span].sum() for a in starts], COUNTS)


def span_of(cells: int, line: int = 1) -> int:
    """Span in which a mask of `cells` cells is counted, a power of two.

    It is shorter where each cell of the mask selects a `line` of so many cells: what a block reads
    of these is whole spans.
    """
    span = max(1, SHORTEST_COUNTED_SPAN >> max(0, line.bit_length() - 1))
    while span * MOST_COUNTED_SPANS < cells:
        span *= 2
    return span


def count_nonzero(mask: Tensor, span: int) -> Tensor:
    """Numbers of true cells in the spans of a mask, shape (ceil(cells / span),).

    Raises
    ------
    ShapeError
        If the mask is not one-dimensional and boolean.
    """
    if mask.type.ndim != 1 or mask.type.dtype != bool:
        raise ShapeError(f"count takes a one-dimensional mask, not {mask.type}")
    return apply(CountNonzero(span), mask)
