"""Partition: cells of lanes below some of the sorted ones, those, and the cells above."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.lanes import PLACES, LaneOperator
from dask_tapestry.operators.sorting.sort import argsort, sort
from dask_tapestry.operators.tuning import (
    FEWEST_PARTITIONED_CELLS,
    MOST_PARTITIONED_BYTES,
    MOST_PIVOTS,
    PARTITION_FLOPS,
    PARTITION_MASK_BYTES,
    PIVOT_FLOPS,
)
from dask_tapestry.teg import Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange


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
