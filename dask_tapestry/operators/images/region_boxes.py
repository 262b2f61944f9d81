"""Boxes of labelled regions: of each tile those of the labels in it, then those of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.images.labelled_regions import Tiling, tile_cells
from dask_tapestry.operators.images.region_tiles import tiles_of
from dask_tapestry.operators.tuning import BOX_CELL_FLOPS, TILE_CELLS_A_REGION
from dask_tapestry.teg import IndexDim, Kind, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.buckets import buckets_type
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.parameters.region_tiles import Tiled

ENDS: Final = np.dtype(np.int64)


@dataclass(frozen=True)
class RegionBoxes(Tiling):
    """Buckets (tiles) of rows: a label up to `most`, its first and its last cells in the tile."""

    name = "regionboxes"
    kernel = "regionboxes"
    fills = False
    tiled: Tiled
    most: int

    def infer(self, *inputs: TensorType) -> TensorType:
        rows = min(self.most, 1 + tile_cells(self.tiled) // TILE_CELLS_A_REGION)
        return buckets_type(self.tiled.grid, ENDS, rows * (1 + 2 * inputs[0].ndim))

    def signature(self, *inputs: TensorType) -> Signature:
        return self.tile_signature(self.own, self.each)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        place = {"first": box.lo, "points": box.shape, "begins": boxes[0].lo}
        return {**place, "tiled": self.tiled, "most": self.most}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return BOX_CELL_FLOPS * tile_cells(self.tiled) * box.size

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return 8 * tile_cells(self.tiled)


@dataclass(frozen=True)
class BoxTable(Tiling):
    """First and last cells of the labels from 1 on: (labels, 2, axes); -1 of those missing."""

    name = "boxtable"
    kernel = "boxtable"
    fills = False
    tiled: Tiled
    most: int
    rank: int

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType((self.most, 2, self.rank), ENDS)

    def signature(self, *inputs: TensorType) -> Signature:
        """One point, which reads and writes all."""
        writes = IndexProjection([[0]] * 3, (0, 0, 0), (self.most, 2, self.rank))
        return Signature((IndexDim("all", 1, Kind.ATOMIC),), (self.every,), (writes,))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"most": self.most, "rank": self.rank}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return inputs[0].size * inputs[0].dtype.itemsize + prod(box.shape)


def region_boxes(labels: Tensor, most: int) -> Tensor:
    """First and last cells of the labels from 1 to `most` of a tensor that has dimensions."""
    tiled = tiles_of(labels)
    found = apply(RegionBoxes(tiled, most), labels)
    return apply(BoxTable(tiled, most, labels.type.ndim), found)
