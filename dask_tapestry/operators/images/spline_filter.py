"""SplineFilter: coefficients of the splines that pass through the cells of each lane."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.lanes import LaneOperator
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange

Block = np.ndarray[Any, Any]
FLOPS_A_POLE: Final = 5  # of a cell: forth, back, and its part of the first one
SCRATCH: Final = 2**20  # doubles, or some lanes


@dataclass(frozen=True)
class SplineFilter(LaneOperator):
    """The coefficients of B-splines of an order, of each lane along `axis`: recursive filters.

    Source: Unser, Aldroubi and Eden, "Fast B-spline transforms for continuous image representation
    and interpolation" (1991).

    Attributes
    ----------
    order
        Of the splines, 2 to 5.
    ends
        How lanes go on beyond their ends: ``"mirror"``, ``"reflect"`` or ``"wrap"``.
    dtype
        To which the coefficients, doubles, are converted.
    """

    name = "splinefilter"
    kernel = "splinefilter"
    in_place = True
    axis: int
    order: int
    ends: str
    dtype: np.dtype[Any]

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=self.dtype)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"order": self.order, "axis": self.axis, "ends": self.ends, "dtype": self.dtype}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size * (2 + FLOPS_A_POLE * (self.order // 2))

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return 8 * min(box.size, max(SCRATCH, inputs[0].shape[self.axis]))

    def text(self) -> str:
        return f"order {self.order}, axis={self.axis}, {self.ends}"

    def reference(self, *inputs: Block) -> Block:
        return kernel_reference(self, *inputs)


def spline_filter(x: Tensor, order: int, axis: int, ends: str, dtype: np.dtype[Any]) -> Tensor:
    """The coefficients of splines along `axis` of a real tensor, as `SplineFilter` says."""
    return apply(SplineFilter(axis, order, ends, dtype), x)
