"""Labelled regions: cells that hang together by neighbours, numbered in raster order.

The array is cut into tiles (`region_tiles`), stretches of it in raster order. Each is labelled by
itself; neighbouring cells of two tiles give pairs of regions; one task joins these, without a look
at cells, and says what becomes of the regions of each tile that touch others.

===============  =======================================================  ==============
operator         what it yields                                           blocks
===============  =======================================================  ==============
`RegionParts`    numbers of regions within tiles, and their counts        by tile
`RegionCounts`   the counts                                               by tile
`RegionJoints`   buckets (tiles) of pairs that touch across tiles         by tile
`RegionMerge`    buckets (tiles) of new numbers                           one
`Renumbered`     numbers of regions                                       by tile
`RegionCount`    how many there are                                       one
===============  =======================================================  ==============

How the array is tiled changes no number: a region is counted where its first cell lies.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import prod
from operator import add
from typing import Any, Final

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.images.region_tiles import tile_bytes, tiles_of
from dask_tapestry.operators.sorting.exchange import ExchangeOperator
from dask_tapestry.operators.tuning import (
    FACE_CELLS_A_PAIR,
    INT64_LABEL_CELLS,
    LABEL_CELL_FLOPS,
    MOST_FACE_PAIRS,
    PAIR_FLOPS,
)
from dask_tapestry.operators.views.output import output
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import IndexDim, Kind, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.buckets import buckets_type
from dask_tapestry.teg.operator import Types, by_signature, signature_of
from dask_tapestry.teg.outputs import OutputWindow, outputs_dtype
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.output_blocks import OutputAxis, OutputShape
from dask_tapestry_kernels.parameters.region_tiles import Tiled

PAIR: Final = np.dtype(np.int64)
Structure = tuple[bool, ...]  # cell by cell in raster order, 3 along each axis


class Tiling(ExchangeOperator):
    """What the steps share: an index dimension for each axis of the grid of tiles."""

    tiled: Tiled

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        wanted = signature_of(self, inputs).demand(box)
        return tuple(x.clip(part) for x, part in zip(inputs, wanted, strict=True))

    def tile_signature(self, *tensors: IndexProjection) -> Signature:
        """Signature of the grid by what a tile reads and, last, writes."""
        index = tuple(IndexDim(f"i{axis}", n) for axis, n in enumerate(self.tiled.grid))
        return Signature(index, tensors[:-1], tensors[-1:])

    @property
    def each(self) -> IndexProjection:
        """A cell for each tile."""
        return IndexProjection.identity(len(self.tiled.grid))

    @property
    def every(self) -> IndexProjection:
        """All tiles, for the only point of a step that is one task."""
        rank = len(self.tiled.grid)
        return IndexProjection([[0]] * rank, (0,) * rank, self.tiled.grid)

    def window(self, ends: list[tuple[int, int]]) -> IndexProjection:
        """Cells of the array that a tile reads, given those that the first one reads."""
        cut, rank = self.tiled.cut, len(ends)
        step = [self.tiled.side if axis == cut else 1 for axis in range(cut + 1)]
        rows = [[step[d] * (d == axis) for d in range(cut + 1)] for axis in range(rank)]
        sides = tuple(hi - lo for lo, hi in ends)
        return IndexProjection(rows, tuple(lo for lo, _ in ends), sides, in_ndim=cut + 1)

    @property
    def own(self) -> IndexProjection:
        """The cells of a tile."""
        return self.window(self.tiled.ends((0,) * len(self.tiled.grid)))

    def text(self) -> str:
        return f"{prod(self.tiled.grid)} tiles of {prod(self.tiled.shape) // prod(self.tiled.grid)}"


@dataclass(frozen=True)
class RegionParts(Tiling):
    """Of each tile: the numbers of its regions, "labels", and how many there are, "counts"."""

    name = "regionparts"
    kernel = "regionparts"
    fills = False
    holds = True
    tiled: Tiled
    structure: Structure
    names: tuple[str, ...] = ("labels", "counts")

    def infer(self, *inputs: TensorType) -> TensorType:
        every = {
            "labels": OutputWindow("labels", np.dtype(np.int32), self.own),
            "counts": OutputWindow("counts", PAIR, self.each),
        }
        windows = tuple(every[name] for name in self.names)
        return TensorType(self.tiled.grid, outputs_dtype(windows))

    def keeping(self, names: Collection[str]) -> RegionParts:
        kept = tuple(name for name in self.names if name in names)
        return RegionParts(self.tiled, self.structure, kept)

    def signature(self, *inputs: TensorType) -> Signature:
        return self.tile_signature(self.own, self.each)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        cut = self.tiled.cut
        grid = tuple(OutputAxis(axis, 1) for axis in range(cut))
        whole = tuple(OutputAxis(None, n) for n in self.tiled.shape[cut + 1 :])
        labels = (*grid, OutputAxis(cut, self.tiled.side), *whole)
        output_shapes = {
            "labels": OutputShape("labels", np.dtype(np.int32), labels),
            "counts": OutputShape("counts", PAIR, (*grid, OutputAxis(cut, 1))),
        }
        return {
            "structure": whole_structure(self.structure, len(self.tiled.shape)),
            "tiled": self.tiled,
            "points": box.shape,
            "outputs": tuple(output_shapes[name] for name in self.names),
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        return LABEL_CELL_FLOPS * tile_cells(self.tiled) * box.size

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return tile_bytes(tile_cells(self.tiled))


@dataclass(frozen=True)
class RegionCounts(Tiling):
    """How many regions each tile has; held apart, so that readers fetch no cells."""

    name = "regioncounts"
    kernel = "identity"
    holds = True
    tiled: Tiled

    def infer(self, *inputs: TensorType) -> TensorType:
        return inputs[0]

    def signature(self, *inputs: TensorType) -> Signature:
        return self.tile_signature(self.each, self.each)


@dataclass(frozen=True)
class RegionJoints(Tiling):
    """Of each tile: pairs of regions that touch in tiles that come after it along `axis`.

    Along the axis that is cut it reads pairs of rows, from the last one of the first tile on.
    """

    name = "regionjoints"
    kernel = "regionjoints"
    fills = False
    holds = True
    clips = True
    tiled: Tiled
    structure: Structure
    axis: int

    def infer(self, *inputs: TensorType) -> TensorType:
        pairs = min(self._cells() / FACE_CELLS_A_PAIR, MOST_FACE_PAIRS)
        return buckets_type(self.tiled.grid, PAIR, 2 * pairs)

    @property
    def left_out(self) -> tuple[int, ...]:
        """Cells before those that it reads, along each axis."""
        cut = self.tiled.cut
        rows = self.tiled.side - 1 if self.axis == cut else 0
        return tuple([rows * (axis == cut) for axis in range(len(self.tiled.shape))])

    def _cells(self) -> int:
        """Cells of the face between two tiles."""
        along = self.tiled.side if self.axis < self.tiled.cut else 1
        return along * prod(self.tiled.shape[self.tiled.cut + 1 :])

    def signature(self, *inputs: TensorType) -> Signature:
        ends, cut = self.tiled.ends((0,) * len(self.tiled.grid)), self.tiled.cut
        for axis in range(self.axis + 1, cut + 1):
            ends[axis] = (ends[axis][0] - 1, ends[axis][1] + 1)
        ends[self.axis] = (0, 2)
        return self.tile_signature(self.window(ends), self.each)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "first": box.lo,
            "points": box.shape,
            "begins": tuple(map(add, boxes[0].lo, self.left_out)),
            "structure": whole_structure(self.structure, len(self.tiled.shape)),
            "tiled": self.tiled,
            "axis": self.axis,
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        ways: int = 3 ** (inputs[0].ndim - 1)
        return LABEL_CELL_FLOPS * ways * self._cells() * box.size

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return 40 * self._cells()


@dataclass(frozen=True)
class RegionMerge(Tiling):
    """Of each tile: the regions that are joined with others, and the numbers that they get."""

    name = "regionmerge"
    kernel = "regionmerge"
    fills = False
    holds = True
    tiled: Tiled

    def infer(self, *inputs: TensorType) -> TensorType:
        pairs = sum(x.dtype.itemsize for x in inputs[1:]) / PAIR.itemsize
        return buckets_type(self.tiled.grid, PAIR, 4 + pairs)

    def signature(self, *inputs: TensorType) -> Signature:
        """One point, which reads and writes all."""
        reads = (self.every,) * len(inputs)
        return Signature((IndexDim("all", 1, Kind.ATOMIC),), reads, (self.every,))

    def flops(self, inputs: Types, box: ZRange) -> int:
        return PAIR_FLOPS * sum(x.size * x.dtype.itemsize // 16 for x in inputs)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return 3 * sum(x.size * x.dtype.itemsize for x in inputs)


@dataclass(frozen=True)
class Renumbered(Tiling):
    """The numbers of regions of the whole array."""

    name = "renumbered"
    kernel = "renumber"
    tiled: Tiled
    dtype: np.dtype[Any]

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(inputs[0].shape, self.dtype)

    def signature(self, *inputs: TensorType) -> Signature:
        return self.tile_signature(self.own, self.each, self.own)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"tiled": self.tiled, "dtype": self.dtype, "keep": self.keep(inputs, box)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return 4 * box.size

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return 8 * tile_cells(self.tiled)  # places in the table


@dataclass(frozen=True)
class RegionCount(Tiling):
    """How many regions there are: a number without dimensions."""

    name = "regioncount"
    kernel = "regioncount"
    fills = False
    holds = True
    tiled: Tiled

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType((), PAIR)

    def signature(self, *inputs: TensorType) -> Signature:
        none = IndexProjection((), (), (), in_ndim=1)
        return Signature((IndexDim("all", 1, Kind.ATOMIC),), (self.every,), (none,))


def tile_cells(tiled: Tiled) -> int:
    """Cells of a tile."""
    return tiled.side * prod(tiled.shape[len(tiled.grid) :])


def whole_structure(structure: Structure, ndim: int) -> np.ndarray[Any, Any]:
    """A structure as an array."""
    return np.array(structure, bool).reshape((3,) * ndim)


def labelled_regions(x: Tensor, structure: np.ndarray[Any, Any]) -> tuple[Tensor, Tensor]:
    """Numbers of the regions of a tensor of bools, which has cells, and how many there are.

    Parameters
    ----------
    structure
        Which cells around one are its neighbours, 3 along each axis; the same turned round.
    """
    shape, which = x.type.shape, tuple(bool(cell) for cell in structure.flat)
    tiled = tiles_of(x)
    parts = apply(RegionParts(tiled, which), x)
    labels, counts = output(parts, "labels"), output(parts, "counts")
    own = tuple([slice(0, n) for n in shape])
    if prod(tiled.grid) == 1:
        return basic_slice(labels, own), reshape(counts, ())
    ways = [axis for axis in range(len(tiled.grid)) if tiled.grid[axis] > 1]
    joined = [_joints(labels, RegionJoints(tiled, which, axis)) for axis in ways]
    merged = apply(RegionMerge(tiled), apply(RegionCounts(tiled), counts), *joined)
    dtype = np.dtype(np.int64 if x.type.size >= INT64_LABEL_CELLS else np.int32)
    made = apply(Renumbered(tiled, dtype), labels, merged)
    return basic_slice(made, own), apply(RegionCount(tiled), merged)


def _joints(labels: Tensor, operator: RegionJoints) -> Tensor:
    read = basic_slice(labels, tuple([slice(first, None) for first in operator.left_out]))
    return apply(operator, read)
