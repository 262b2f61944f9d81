"""WeighedSort: cells in stable order along the last axis, each with its place and its weight."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.forms import stand_in
from dask_tapestry.operators.lanes import PLACES, LaneOperator, sort_flops, weighed_dtype
from dask_tapestry.operators.sorting.exchange_sort import run_counts, weighed_runs
from dask_tapestry.teg import Form, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class WeighedSort(LaneOperator):
    """Structured cells: those of the first input along `axis`, the last one, in ascending order.

    Each has its index in the lane, and its weight, the second input's cell. Equal cells keep their
    order.
    """

    name = "weighedsort"
    kernel = "weighedsort"
    axis: int

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=weighed_dtype(inputs[0].dtype))

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        made = self.infer(*inputs)
        runs = run_counts(made.shape[self.axis], made.dtype.itemsize) if made.size else ()
        return (Form("exchange", runs, by_exchange),) if runs else ()

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"part": self.part(box)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return 2 * sort_flops(self.demand(inputs, box)[0].size, inputs[0].shape[self.axis])

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Their order, what sorting takes, and cells and weights in order."""
        x, loads = inputs
        cells = self.demand(inputs, box)[0].size
        return cells * (4 * PLACES.itemsize + x.dtype.itemsize + loads.dtype.itemsize)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, loads = inputs
        order = np.argsort(x, axis=-1, kind="stable")
        made = np.empty(x.shape, weighed_dtype(x.dtype))
        made["key"], made["place"] = np.take_along_axis(x, order, -1), order
        made["load"] = np.take_along_axis(loads, order, -1)
        return made


@stand_in
def by_exchange(node: Tensor, runs: int) -> Tensor:
    """``weighedsort(x, w) -> exchangesort(x, w)``."""
    x, loads = node.inputs
    return weighed_runs(x, loads, runs)


def weighed_sort(x: Tensor, loads: Tensor) -> Tensor:
    """The cells along the last axis of `x` in stable order, with places and `loads`, float64."""
    return apply(WeighedSort(x.type.ndim - 1), x, loads)
