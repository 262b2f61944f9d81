"""FewValues: the distinct values of each span of a vector, as long as there are few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.tuning import FEW_VALUES_FLOPS, MOST_FEW_VALUES
from dask_tapestry.teg import BlockOperator, IndexDim, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types, by_signature, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange

ROW: Final = np.dtype([("value", "u8"), ("count", "i8"), ("first", "i8")])
WORDS: Final = (1, 2, 4, 8)  # bytes of a cell whose bits are a number


@dataclass(frozen=True)
class FewValues(BlockOperator):
    """Row k has the distinct values of ``[k * span, (k + 1) * span)``, by their bits, in order.

    Rows have room for `most`; of a span with more values the first count is negative.
    """

    name = "fewvalues"
    kernel = "fewvalues"
    repeats = True
    span: int
    most: int

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType((-(-inputs[0].shape[0] // self.span), self.most), ROW)

    def signature(self, *inputs: TensorType) -> Signature:
        reads = IndexProjection(((self.span,),), (0,), (self.span,))
        writes = IndexProjection(((1,), (0,)), (0, 0), (1, self.most), in_ndim=1)
        dim = IndexDim("span", -(-inputs[0].shape[0] // self.span))
        return Signature((dim,), (reads,), (writes,))

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        (wanted,) = signature_of(self, inputs).demand(box)
        return (inputs[0].clip(wanted),)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        origin = box.lo[0] * self.span
        return {"span": self.span, "most": self.most, "origin": origin, "table": ROW}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return FEW_VALUES_FLOPS * box.shape[0] * self.span

    def text(self) -> str:
        return f"span={self.span}, most={self.most}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        (x,) = inputs
        bits = np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}")
        table = np.zeros((-(-len(x) // self.span), self.most), ROW)
        for number, start in enumerate(range(0, len(x), self.span)):
            values, firsts, counts = np.unique(
                bits[start : start + self.span], return_index=True, return_counts=True
            )
            if len(values) > self.most:
                table[number, 0]["count"] = -1
                continue
            rows = table[number, : len(values)]
            rows["value"], rows["count"], rows["first"] = values, counts, firsts + start
        return table


def few_values(x: Tensor, span: int, most: int = MOST_FEW_VALUES) -> Tensor:
    """The distinct values of the spans of a vector, shape (ceil(cells / span), most).

    Raises
    ------
    ShapeError
        If `x` is not a vector of cells of 1, 2, 4 or 8 bytes.
    """
    if x.type.ndim != 1 or x.type.dtype.itemsize not in WORDS:
        raise ShapeError(f"few values takes a vector of cells up to 8 bytes, not {x.type}")
    return apply(FewValues(span, most), x)
