"""Mosaic: tensors joined along several axes at once, or interleaved.

Nested concatenations along different axes become one mosaic, which is copied once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import gcd, lcm
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Progression, Region, Selector, Tensor, TensorType, apply
from dask_tapestry.teg.chunking import AxisChunks, Chunks, Known
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.teg.regularity import Regular, Regularity
from dask_tapestry.teg.tuning import MOST_CHUNK_EDGES
from dask_tapestry.zspace import Cuts, ZRange


class MosaicAxis(NamedTuple):
    """Where the cells of an input lie along an axis: cell j at ``start + step * j``."""

    start: int
    step: int


MosaicAxes = tuple[MosaicAxis, ...]


@dataclass(frozen=True)
class Mosaic(Selector):
    """A tensor of `shape` that each input fills at its `places`: every cell once, in one dtype."""

    name = "mosaic"
    kernel = "mosaic"
    copies = True
    passes_alone = True
    shape: tuple[int, ...]
    places: tuple[MosaicAxes, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        dims = next((x.dims for x in inputs if x.dims), None)
        return TensorType(self.shape, inputs[0].dtype, dims)

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        return (True,) * len(inputs)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return tuple(_cells_in(p, x, box) for p, x in zip(self.places, inputs, strict=True))

    def pieces(self, inputs: Types, box: ZRange) -> tuple[tuple[int, ZRange], ...]:
        found = [(i, need) for i, need in enumerate(self.demand(inputs, box)) if not need.is_empty]
        return tuple(found) or ((0, ZRange((0,) * box.ndim, (0,) * box.ndim)),)

    def regularity(self, inputs: Types) -> Regularity:
        """Along each axis another rule holds before, in and behind each input."""
        rules = []
        for axis in range(len(self.shape)):
            along = [
                (place[axis], x.shape[axis]) for place, x in zip(self.places, inputs, strict=True)
            ]
            steps = [place.step for place, n in along if n > 1]
            edges = {place.start for place, _ in along}
            edges.update(place.start + (place.step * n if n > 1 else n) for place, n in along)
            rules.append(Regular(lcm(*steps), tuple(sorted(edges))))
        return tuple(rules)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        if box.is_empty:
            return {"places": (), "shape": box.shape}
        places = []
        for (number, need), read in zip(self.pieces(inputs, box), boxes, strict=True):
            sides = zip(self.places[number], need.lo, read.shape, box.lo, strict=True)
            places.append(tuple(_slice(p, first, count, lo) for p, first, count, lo in sides))
        return {"places": tuple(places), "shape": box.shape}

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        regions, visible_places = [], []
        for own, x in zip(self.places, inputs, strict=True):
            shown = [
                visible_cells(p, n, part) for p, n, part in zip(own, x.shape, region, strict=True)
            ]
            regions.append(Region([cells for cells, _ in shown]))
            visible_places.append(tuple(place for _, place in shown))
        return Restriction(Mosaic(region.shape, tuple(visible_places)), tuple(regions), region)

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """The edges of all inputs where they lie; of interleaved ones, whole rounds."""
        by_axis: list[AxisChunks | None] = []
        for axis, extent in enumerate(self.shape):
            along = [(p[axis], own[axis]) for p, own in zip(self.places, chunks, strict=True)]
            if sum(one.cuts.count for _, one in along) > MOST_CHUNK_EDGES:
                by_axis.append(None)
                continue
            edges = {0, extent}
            for (start, step), one in along:
                inner = one.cuts.inner_edges()
                edges.update(start + step * e - start % step for e in (0, *inner))
            lengths = [b - a for a, b in pairwise(sorted(e for e in edges if 0 <= e <= extent))]
            by_axis.append(AxisChunks(Cuts.of_lengths(lengths), any(o.said for _, o in along)))
        return tuple(by_axis)

    def text(self) -> str:
        return f"{self.shape}, {len(self.places)} pieces"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        result = np.empty(self.shape, inputs[0].dtype)
        for places, x in zip(self.places, inputs, strict=True):
            sides = zip(places, x.shape, strict=True)
            result[tuple(_slice(place, 0, n, 0) for place, n in sides)] = x
        return result


def mosaic(
    tensors: Sequence[Tensor],
    places: Sequence[MosaicAxes],
    shape: tuple[int, ...],
    line: str | None = None,
) -> Tensor:
    """The tensor of `shape` that holds `tensors`, of one dtype, at their `places`."""
    filled = [(x, p) for x, p in zip(tensors, places, strict=True) if x.type.size]
    if not filled:
        filled = [(tensors[0], places[0])]
    if len(filled) == 1 and filled[0][0].type.shape == shape:
        return filled[0][0]
    operator = Mosaic(shape, tuple(p for _, p in filled))
    return apply(operator, *[x for x, _ in filled], line=line)


def _cells_in(places: MosaicAxes, x: TensorType, box: ZRange) -> ZRange:
    """Cells of an input that lie in `box` of the output."""
    lo, hi = [], []
    for (start, step), n, a, b in zip(places, x.shape, box.lo, box.hi, strict=True):
        first = min(max(-(-(a - start) // step), 0), n)
        lo.append(first)
        hi.append(max(first, min(-(-(b - start) // step), n)))
    return ZRange(tuple(lo), tuple(hi))


def _slice(place: MosaicAxis, first: int, count: int, origin: int) -> slice:
    """Where `count` cells of an input from `first` on lie, counted from `origin`."""
    start = place.start + place.step * first - origin
    return slice(start, start + place.step * (count - 1) + 1, place.step) if count else slice(0, 0)


def visible_cells(
    axis: MosaicAxis, extent: int, region: Progression
) -> tuple[Progression, MosaicAxis]:
    """Cells of an input that are wanted, and where they lie among all wanted ones.

    Cell j is the k-th wanted one if ``start + step * j == wanted.start + wanted.step * k``; the
    first such pair is found by the inverse of one step in units of the other.
    """
    nothing = Progression(0, 1, 0), MosaicAxis(0, 1)
    common = gcd(axis.step, region.step)
    distance, uneven = divmod(region.start - axis.start, common)
    if uneven or not extent or not region.count:
        return nothing
    pace, own = region.step // common, axis.step // common
    j = distance * pow(own, -1, pace) % pace if pace > 1 else 0
    k = (axis.start + axis.step * j - region.start) // region.step
    if k < 0:  # move it on by whole periods to the first wanted one
        periods = -(k // own)
        j, k = j + periods * pace, k + periods * own
    count = min((extent - 1 - j) // pace, (region.count - 1 - k) // own) + 1
    if count < 1:
        return nothing
    return Progression.of(j, pace, count), MosaicAxis(k, own if count > 1 else 1)
