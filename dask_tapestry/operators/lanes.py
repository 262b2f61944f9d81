"""Lanes: what operators share that make each lane along an axis of one lane of each input."""

from __future__ import annotations

from math import ceil, log2
from typing import Any, ClassVar, Final

import numpy as np

from dask_tapestry.operators.tuning import (
    LANE_PASS_FLOPS,
    LANES_IN_HAND_BYTES,
    PICK_DOUBT,
    SORT_LEVEL_FLOPS,
    SORT_SPACE,
)
from dask_tapestry.teg import (
    BlockOperator,
    IndexDim,
    Kind,
    Progression,
    Region,
    Signature,
    TensorType,
    Turns,
)
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.teg.turns import CELL_BY_CELL
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.parameters.ranks import is_long

PLACES: Final = np.dtype(np.intp)


class LaneOperator(BlockOperator):
    """An operator that makes each lane of the output along `axis` of one lane of each input."""

    axis: int
    by_rank: ClassVar[bool] = False  # whether cells of long lanes are found by their rank alone

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]

    def signature(self, *inputs: TensorType) -> Signature:
        """Lanes are uncut, but where cells are found by rank: there each reads the whole lane."""
        made = self.infer(*inputs)
        lane, step, writes = IndexDim("lane", 1, Kind.ATOMIC), 1, self._lanes(made)
        if self.is_ranked(inputs):
            lane, step = IndexDim("rank", made.shape[self.axis]), 0
            writes = IndexProjection.identity(made.ndim)
        dims = [
            lane if dim == self.axis else IndexDim(f"i{dim}", n)
            for dim, n in enumerate(inputs[0].shape)
        ]
        reads = tuple([self._lanes(x, step) for x in inputs])
        return Signature(tuple(dims), reads, (writes,))

    def is_ranked(self, inputs: Types) -> bool:
        """Whether a block finds some cells of its lanes without sorting the others."""
        return self.by_rank and is_long(inputs[0].shape[self.axis], inputs[0].dtype)

    def _lanes(self, x: TensorType, step: int = 1) -> IndexProjection:
        """Projection of each index point to its lane of `x`."""
        length = x.shape[self.axis]
        rows = [[int(dim == axis) for dim in range(x.ndim)] for axis in range(x.ndim)]
        rows[self.axis][self.axis] = step * max(length, 1)
        shape = tuple(length if dim == self.axis else 1 for dim in range(x.ndim))
        return IndexProjection(tuple(map(tuple, rows)), (0,) * x.ndim, shape)

    def turns(self, inputs: Types) -> Turns | None:
        """Some lanes at a time; none where a block takes but some cells of lanes."""
        return None if self.is_ranked(inputs) else CELL_BY_CELL

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """Fewer lanes, each whole."""
        reads = [self._whole(x, region) for x in inputs]
        return Restriction(self, tuple(reads), self._whole(self.infer(*inputs), region))

    def _whole(self, x: TensorType, region: Region) -> Region:
        """The lanes of `x` for the lanes that a region meets."""
        lane = Progression(0, 1, x.shape[self.axis])
        return Region((*region[: self.axis], lane, *region[self.axis + 1 :]))

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """What sorting a lane takes: the result is sorted in place, a few lanes at a time."""
        x = inputs[0]
        return sort_bytes(self.demand(inputs, box)[0].size, x.shape[self.axis], x.dtype)

    def sorted_flops(self, inputs: Types, box: ZRange) -> int:
        """Operations that sorting the lanes takes, or finding the cells `box` of them by rank."""
        cells, length = self.demand(inputs, box)[0].size, inputs[0].shape[self.axis]
        part = box.hi[self.axis] - box.lo[self.axis]
        if part == length or not self.is_ranked(inputs):
            return sort_flops(cells, length)
        return cells * LANE_PASS_FLOPS + sort_flops(picked_cells(cells, length, part), length)

    def part(self, box: ZRange) -> slice:
        """Cells of a lane that a block of the output holds."""
        return slice(box.lo[self.axis], box.hi[self.axis])

    def text(self) -> str:
        return f"axis={self.axis}"


def pair_dtype(key: np.dtype[Any]) -> np.dtype[Any]:
    """Dtype of a cell together with its index in the lane."""
    return np.dtype([("key", key), ("place", PLACES)])


def weighed_dtype(key: np.dtype[Any]) -> np.dtype[Any]:
    """Dtype of a cell together with its index in the lane and its weight."""
    return np.dtype([("key", key), ("place", PLACES), ("load", np.float64)])


def sort_bytes(cells: int, length: int, dtype: np.dtype[Any], stable: bool = True) -> int:
    """Bytes beside `cells`, in lanes of `length`, that sorting them in place takes.

    Lanes are sorted one after the other, structured cells all together. A sort that need not be
    `stable` takes a byte for the sign of each number.
    """
    if dtype.names:
        return cells * (dtype.itemsize + 4 * PLACES.itemsize)
    if not stable and dtype.kind in "iuf":
        return min(cells, max(length, LANES_IN_HAND_BYTES // dtype.itemsize))
    return int(min(cells, length) * SORT_SPACE * dtype.itemsize)


def picked_cells(cells: int, length: int, part: int) -> int:
    """Cells of the lanes that are sorted to find `part` of the `length` cells of each by rank."""
    return cells * min(length, part + length // PICK_DOUBT) // length


def lane_bytes(cells: int, length: int, dtype: np.dtype[Any]) -> int:
    """Bytes of the copies of lanes of `length`, of `cells` in all, that are in hand at a time."""
    return min(cells * dtype.itemsize, max(LANES_IN_HAND_BYTES, 2 * length * dtype.itemsize))


def sort_flops(cells: int, length: int) -> int:
    """Operations it takes to sort `cells` in lanes of `length`."""
    return cells * SORT_LEVEL_FLOPS * ceil(log2(max(length, 2)))
