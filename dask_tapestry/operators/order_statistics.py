"""OrderStatistics: cells at given places of the sorted lanes, without all of them in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from dask_tapestry.operators.concat import concat
from dask_tapestry.operators.slice import basic_slice
from dask_tapestry.operators.sort import LaneOperator, sort_flops
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange

SUMS: Final = 6  # numbers a cell, of eight bytes, that weighted ranks are found by


@dataclass(frozen=True)
class OrderStatistics(LaneOperator):
    """Cells number `ranks` of each lane along `axis` in ascending order."""

    name = "orderstatistics"
    kernel = "ranks"
    axis: int
    ranks: tuple[int, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        shape = list(inputs[0].shape)
        shape[self.axis] = len(self.ranks)
        return inputs[0]._replace(shape=tuple(shape))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"ranks": self.ranks, "axis": self.axis, "part": self.part(box)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return sort_flops(self.demand(inputs, box)[0].size, 2 * len(self.ranks))

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """A few lanes at a time are copied, and sorted or partitioned."""
        (x,) = inputs
        lane = min(self.demand(inputs, box)[0].size, x.shape[self.axis]) * x.dtype.itemsize
        return lane + super().scratch_bytes(inputs, box)

    def text(self) -> str:
        shown = ", ".join(map(str, self.ranks[:4])) + ", ..." * (len(self.ranks) > 4)
        return f"{shown}, axis={self.axis}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.take(np.sort(inputs[0], self.axis), self.ranks, self.axis)


@dataclass(frozen=True)
class WeightedOrderStatistics(LaneOperator):
    """Cells of each lane at which the sum of the weights, in order, reaches its `quantiles`.

    The last cell in order follows them. Sums are compared in `dtype`. With `skip_nan`, NaN weighs
    nothing.
    """

    name = "weightedorderstatistics"
    kernel = "weightedranks"
    axis: int
    quantiles: tuple[float, ...]
    dtype: np.dtype[Any]
    skip_nan: bool = False

    def infer(self, *inputs: TensorType) -> TensorType:
        shape = list(inputs[0].shape)
        shape[self.axis] = len(self.quantiles) + 1
        return inputs[0]._replace(shape=tuple(shape))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "quantiles": self.quantiles,
            "dtype": self.dtype,
            "skip_nan": self.skip_nan,
            "axis": self.axis,
            "part": self.part(box),
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        return 2 * sort_flops(self.demand(inputs, box)[0].size, inputs[0].shape[self.axis])

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Order, cells and weights in it, and sums of weights, each also as it was before."""
        cells = self.demand(inputs, box)[0].size
        return cells * (inputs[0].dtype.itemsize + SUMS * np.dtype(np.float64).itemsize)


def ranks(x: Tensor, chosen: Sequence[int], axis: int) -> Tensor:
    """Cells number `chosen` along `axis` of `x` in ascending order; negative ones from the end."""
    extent = x.type.shape[axis]
    return apply(OrderStatistics(axis, tuple(rank % extent for rank in chosen)), x)


def weighted_order_statistics(
    x: Tensor, weights: Tensor, quantiles: Sequence[float], dtype: np.dtype[Any], skip_nan: bool
) -> Tensor:
    """Cells of the lanes along the first axis where weights reach `quantiles`, and the last cell.

    The result has ``len(quantiles) + 1`` cells along that axis.
    """
    return apply(WeightedOrderStatistics(0, tuple(quantiles), dtype, skip_nan), x, weights)


def picked(ordered: Tensor, chosen: Sequence[int], axis: int) -> Tensor:
    """Cells number `chosen` along `axis` of lanes in order."""
    lead = (slice(None),) * axis
    return concat([basic_slice(ordered, (*lead, slice(k, k + 1))) for k in chosen], axis)
