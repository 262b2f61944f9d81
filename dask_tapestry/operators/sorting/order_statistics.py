"""OrderStatistics: some cells of the sorted lanes, found without sorting all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dask_tapestry.imports import lazy_import
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.order_key import has_order_key
from dask_tapestry.operators.forms import stand_in
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.lanes import (
    LaneOperator,
    lane_bytes,
    picked_cells,
    sort_bytes,
    sort_flops,
)
from dask_tapestry.operators.sorting.exchange_sort import run_counts
from dask_tapestry.operators.sorting.sort import sorted_by_exchange
from dask_tapestry.operators.sorting.unordered_cells import unordered
from dask_tapestry.operators.tuning import DIGIT_PARTS, MOST_DIGIT_RANKS, RANK_PASS_FLOPS
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Form, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.ranks import are_few, groups, is_long


@dataclass(frozen=True)
class OrderStatistics(LaneOperator):
    """Cells number `ranks` of each sorted lane along `axis`, whose extent becomes their count."""

    name = "orderstatistics"
    kernel = "ranks"
    axis: int
    ranks: tuple[int, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        shape = list(inputs[0].shape)
        shape[self.axis] = len(self.ranks)
        return inputs[0]._replace(shape=tuple(shape))

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        (x,) = inputs
        if not x.size or not self.ranks:
            return ()
        runs = run_counts(x.shape[self.axis], x.dtype.itemsize)
        if not runs:
            return ()
        exchange = Form("exchange", runs, by_exchange)
        is_lone = x.size == x.shape[self.axis] and has_order_key(x.dtype)
        if not is_lone or len(set(self.ranks)) > MOST_DIGIT_RANKS:
            return (exchange,)
        return exchange, Form("digits", DIGIT_PARTS, by_digits)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"ranks": self.ranks, "axis": self.axis, "part": self.part(box)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        cells = self.demand(inputs, box)[0].size
        if self.picks(inputs):
            return cells * RANK_PASS_FLOPS * len(groups(self.ranks, inputs[0].shape[self.axis]))
        return sort_flops(cells, 2 * len(self.ranks))

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """A few lanes at a time are copied, and sorted or partitioned."""
        (x,) = inputs
        cells, length = self.demand(inputs, box)[0].size, x.shape[self.axis]
        if self.picks(inputs):
            return 2 * picked_cells(length, length, 0) * x.dtype.itemsize
        beside = sort_bytes(cells, length, x.dtype, stable=False)
        return lane_bytes(cells, length, x.dtype) + beside

    def picks(self, inputs: Types) -> bool:
        """Whether the kernel picks cells near the ranks rather than partition lanes."""
        length = inputs[0].shape[self.axis]
        return is_long(length, inputs[0].dtype) and are_few(self.ranks, length)

    def text(self) -> str:
        shown = ", ".join(map(str, self.ranks[:4])) + ", ..." * (len(self.ranks) > 4)
        return f"{shown}, axis={self.axis}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.take(np.sort(inputs[0], self.axis), self.ranks, self.axis)


@stand_in
def by_exchange(node: Tensor, runs: int) -> Tensor:
    """``orderstatistics(x, ranks) -> exchangesort(x)[ranks]``."""
    whole, (x,) = node.operator, node.inputs
    assert isinstance(whole, OrderStatistics)
    return picked(sorted_by_exchange(x, whole.axis, runs), whole.ranks, whole.axis)


@stand_in
def by_digits(node: Tensor, parts: int) -> Tensor:
    """``orderstatistics(x, ranks) -> cellofkey(digits of the keys of these ranks)``."""
    whole, (x,) = node.operator, node.inputs
    assert isinstance(whole, OrderStatistics)
    digits = lazy_import("dask_tapestry.operators.sorting.rank_digits")
    return reshape(digits.cells_of_ranks(unordered(x), whole.ranks, parts), node.type.shape)


def ranks(x: Tensor, chosen: Sequence[int], axis: int) -> Tensor:
    """Cells number `chosen` along `axis` of sorted `x`; negative numbers count from the end."""
    extent = x.type.shape[axis]
    return apply(OrderStatistics(axis, tuple(rank % extent for rank in chosen)), x)


def picked(ordered: Tensor, chosen: Sequence[int], axis: int) -> Tensor:
    """Cells number `chosen` along `axis` of sorted lanes."""
    lead = (slice(None),) * axis
    return concat([basic_slice(ordered, (*lead, slice(k, k + 1))) for k in chosen], axis)
