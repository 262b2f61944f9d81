"""Partition: cells of lanes below some of the sorted ones, those, and the cells above."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from typing import Any, Final

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.cell_bytes import view_cells
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.forms import stand_in
from dask_tapestry.operators.lanes import PLACES, LaneOperator, weighed_dtype
from dask_tapestry.operators.sorting.exchange_sort import exchange_sort, run_counts, weighed_runs
from dask_tapestry.operators.sorting.order_statistics import picked
from dask_tapestry.operators.sorting.sort import argsort, sort
from dask_tapestry.operators.tuning import (
    FEWEST_PARTITIONED_CELLS,
    MOST_PARTITIONED_BYTES,
    MOST_PIVOTS,
    PARTITION_FLOPS,
    PARTITION_MASK_BYTES,
    PIVOT_FLOPS,
)
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Form, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange

GROUP: Final = np.dtype(np.uint8)  # number of a group of cells: pivots are few
LOAD: Final = np.dtype(np.float64)  # of a cell that an exchange carries, as a number or as bits


@dataclass(frozen=True)
class Partition(LaneOperator):
    """Lanes along `axis` in which cells number `kth` are where they are in the sorted lane.

    Smaller cells come before them, larger ones behind, in the order in which they lie; NaN last.

    Parameters
    ----------
    kth
        In ascending order, each once.
    places
        Whether places of cells are wanted, intp, instead of cells.
    """

    name = "partition"
    kernel = "partition"
    by_rank = True
    axis: int
    kth: tuple[int, ...]
    places: bool = False

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]._replace(dtype=PLACES) if self.places else inputs[0]

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        (x,) = inputs
        cell = weighed_dtype(GROUP).itemsize
        runs = run_counts(x.shape[self.axis], cell) if x.size and _is_load(x.dtype) else ()
        return (Form("exchange", runs, by_exchange),) if runs else ()

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "axis": self.axis,
            "part": self.part(box),
            "kth": self.kth,
            "places": self.places,
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        return self.demand(inputs, box)[0].size * (PARTITION_FLOPS + PIVOT_FLOPS * len(self.kth))

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """A lane in one piece, the same partitioned, masks, and what is picked."""
        (x,) = inputs
        return x.shape[self.axis] * (2 * x.dtype.itemsize + PARTITION_MASK_BYTES + PLACES.itemsize)

    def text(self) -> str:
        return f"{', '.join(map(str, self.kth))}, axis={self.axis}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        (x,) = inputs
        pivots = np.take(np.sort(x, self.axis), self.kth, self.axis)
        group = np.zeros(x.shape, int)
        for number in range(len(self.kth)):
            pivot = np.take(pivots, [number], self.axis)
            group += (x > pivot).astype(int) + (x >= pivot)
        if x.dtype.kind == "f":
            group[np.isnan(x)] = 2 * len(self.kth) + 1
        order = np.argsort(group, self.axis, kind="stable")
        return order if self.places else np.take_along_axis(x, order, self.axis)


@stand_in
def by_exchange(node: Tensor, runs: int) -> Tensor:
    """``partition(x, kth) -> exchangesort(groups(x, exchangesort(x)[kth]), x)``, stably."""
    whole, (x,) = node.operator, node.inputs
    assert isinstance(whole, Partition)
    last = [dim for dim in range(x.type.ndim) if dim != whole.axis] + [whole.axis]
    lanes = permute(x, last)
    pivots = picked(exchange_sort(lanes, runs), whole.kth, x.type.ndim - 1)
    groups = _groups(lanes, pivots, len(whole.kth))
    if whole.places:
        made = exchange_sort(groups, runs, places=True)
    else:
        moved = field(weighed_runs(groups, _as_load(lanes), runs), "load")
        made = _from_load(moved, x.type.dtype)
    return permute(made, [last.index(dim) for dim in range(x.type.ndim)])


def _groups(lanes: Tensor, pivots: Tensor, count: int) -> Tensor:
    """The number of each cell's group: below the first pivot, equal to it, above; NaN is last."""
    each = [basic_slice(pivots, (..., slice(number, number + 1))) for number in range(count)]
    above = [elementwise(how, lanes, one) for one in each for how in ("greater", "greater_equal")]
    groups = reduce(partial(elementwise, "add"), [astype(one, GROUP) for one in above])
    if lanes.type.dtype.kind != "f":
        return groups
    return where(elementwise("isnan", lanes), GROUP.type(2 * count + 1), groups)


def _is_load(dtype: np.dtype[Any]) -> bool:
    """Whether an exchange carries cells: as numbers, or as the bits of one."""
    return dtype.itemsize <= LOAD.itemsize


def _as_load(x: Tensor) -> Tensor:
    same = x.type.dtype.itemsize == LOAD.itemsize
    return view_cells(x, LOAD) if same else astype(x, LOAD)


def _from_load(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    return view_cells(x, dtype) if dtype.itemsize == LOAD.itemsize else astype(x, dtype)


def partition(x: Tensor, kth: tuple[int, ...], axis: int, *, places: bool = False) -> Tensor:
    """Lanes of `x` along `axis` partitioned at cells number `kth`, or the places of their cells.

    Short lanes, very long ones, and those of what is no real number come sorted.
    """
    length, dtype = x.type.shape[axis], x.type.dtype
    chosen = tuple(sorted({k % length for k in kth})) if length else ()
    fits = (
        FEWEST_PARTITIONED_CELLS <= length <= MOST_PARTITIONED_BYTES // dtype.itemsize
        and dtype.kind in "iuf"
    )
    if not fits or not 0 < len(chosen) <= MOST_PIVOTS:
        return argsort(x, axis) if places else sort(x, axis)
    return apply(Partition(axis, chosen, places), x)
