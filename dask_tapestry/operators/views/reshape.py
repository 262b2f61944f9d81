"""Reshape: the same cells in C order under another shape.

The dimensions fall into groups of the same size on both sides, such as (2, 3) and (6,); each group
is reshaped by itself. A box of the output is, in each group, some spans of flat indices, and each
span a few boxes of the input. Few boxes are read exactly; instead of many, or where it holds little
more, the one box around them is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product
from math import gcd, prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.amounts import integer
from dask_tapestry.errors import ShapeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.tuning import MOST_RESHAPE_BOXES, RESHAPE_SLACK_CELLS
from dask_tapestry.operators.views.ravel_index import (
    boxes_of_span,
    ravel,
    run_count,
    runs,
    span_box,
    strides,
)
from dask_tapestry.teg import Progression, Region, Selector, Tensor, TensorType, apply
from dask_tapestry.teg.chunking import AxisChunks, Chunks, Known
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.teg.regularity import Regular, Regularity
from dask_tapestry.teg.tuning import MOST_CHUNK_EDGES
from dask_tapestry.zspace import Cuts, ZRange


class DimGroup(NamedTuple):
    """Input dimensions ``[a, b)`` that become output dimensions ``[c, d)``."""

    a: int
    b: int
    c: int
    d: int


class GroupPart(NamedTuple):
    """A box of a group's input dimensions, and which of its cells are wanted.

    They begin at flat index `offset` of the box and have the shape `shape` with the steps `steps`;
    they are the `length` cells of the output's box from `start` on.
    """

    lo: tuple[int, ...]
    hi: tuple[int, ...]
    offset: int
    shape: tuple[int, ...]
    steps: tuple[int, ...]
    start: int
    length: int


@dataclass(frozen=True)
class Reshape(Selector):
    """Cells of a tensor of shape `old`, in C order, under shape `new`.

    Restricted, its output is the box `window` of `new` and its input the box `held` of `old`.
    """

    name = "reshape"
    kernel = "reshape"
    copies = True
    old: tuple[int, ...]
    new: tuple[int, ...]
    window: ZRange | None = None
    held: ZRange | None = None

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        dims = None
        if x.dims:
            names: list[str | None] = [None] * len(self.new)
            for a, b, c, d in self.groups:
                if b - a == d - c == 1:
                    names[c] = x.dims[a]
            dims = tuple(names)
        return TensorType(self.window.shape if self.window else self.new, x.dtype, dims)

    @cached_property
    def groups(self) -> tuple[DimGroup, ...]:
        """The finest groups, from left to right."""
        if 0 in self.old:
            return (DimGroup(0, len(self.old), 0, len(self.new)),)
        groups: list[DimGroup] = []
        a = c = 0
        while a < len(self.old) or c < len(self.new):
            b, d = min(a + 1, len(self.old)), min(c + 1, len(self.new))
            while (m := prod(self.old[a:b])) != (n := prod(self.new[c:d])):
                b, d = (b + 1, d) if m < n else (b, d + 1)
            groups.append(DimGroup(a, b, c, d))
            a, c = b, d
        return tuple(groups)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        """The hull of `pieces`."""
        boxes = [piece for _, piece in self.pieces(inputs, box)]
        hull = boxes[0]
        for piece in boxes[1:]:
            hull = hull.hull(piece)
        return (hull,)

    def pieces(self, inputs: Types, box: ZRange) -> tuple[tuple[int, ZRange], ...]:
        if box.is_empty:
            nothing = (0,) * len(self.old)
            return ((0, ZRange(nothing, nothing)),)
        held = tuple(-n for n in self.held.lo) if self.held else None
        found = []
        for parts in product(*self._parts(box)):
            lo = tuple(n for part in parts for n in part.lo)
            read = ZRange(lo, tuple(n for part in parts for n in part.hi))
            found.append((0, read.translate(held) if held else read))
        return tuple(found)

    def _parts(self, box: ZRange) -> tuple[tuple[GroupPart, ...], ...]:
        """For each group, the parts of the input that hold the output's cells `box`."""
        here = box.translate(self.window.lo) if self.window else box
        return parts_of(self.old, self.new, self.groups, here)

    def regularity(self, inputs: Types) -> Regularity:
        """In each group, by whole steps of its first input dimension: the rest stays as it is."""
        found: list[Regular | None] = []
        for a, b, c, d in self.groups:
            inner = prod(self.old[a + 1 : b])
            paces = strides(self.new[c:d])
            found += [Regular(inner // gcd(inner, pace)) if inner else None for pace in paces]
        return tuple(found)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        parts = () if box.is_empty else self._parts(box)
        return {"parts": parts, "shape": box.shape}

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """`flattened` for dimensions that become one; for others as their demands tell."""
        followed = list(super().follow(inputs, chunks))
        if self.window is not None or 0 in self.new:
            return tuple(followed)
        for a, b, c, d in self.groups:
            if b - a > 1:
                followed[c:d] = [flattened(chunks[0][a:b])] if d - c == 1 else [None] * (d - c)
        return tuple(followed)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        if region.is_empty:
            return None
        ins: list[Progression] = []
        outs: list[Progression] = []
        for a, b, c, d in self.groups:
            wanted = region[c:d]
            if b - a == d - c == 1:
                ins += wanted
                outs += wanted
                continue
            hull = [Progression.of(p.start, 1, p.stop - p.start) for p in wanted]
            base = self.window.lo[c:d] if self.window else (0,) * (d - c)
            first = ravel([p.start + n for p, n in zip(hull, base, strict=True)], self.new[c:d])
            last = ravel([p.stop - 1 + n for p, n in zip(hull, base, strict=True)], self.new[c:d])
            low, high = span_box(first, last, self.old[a:b])
            start = self.held.lo[a:b] if self.held else (0,) * (b - a)
            ins += [
                Progression.of(n - s, 1, h - n) for n, h, s in zip(low, high, start, strict=True)
            ]
            outs += hull
        reads, yields = Region(ins), Region(outs)
        return Restriction(self._cut(reads, yields), (reads,), yields)

    def _cut(self, reads: Region, yields: Region) -> Reshape:
        """The reshape of the region `reads` into the region `yields`."""
        old, new = list(self.old), list(self.new)
        window, stored = [], []
        for a, b, c, d in self.groups:
            if b - a == d - c == 1:  # the same dimension: its coordinates are counted from 0 again
                old[a] = new[c] = reads[a].count
                window.append((0, reads[a].count))
                stored.append((0, reads[a].count))
                continue
            for sides, parts, box, lead in (
                (window, yields[c:d], self.window, c),
                (stored, reads[a:b], self.held, a),
            ):
                for dim, part in enumerate(parts, start=lead):
                    start = part.start + (box.lo[dim] if box else 0)
                    sides.append((start, start + part.count))
        shapes = tuple(old), tuple(new)
        out, own = _box(window), _box(stored)
        whole = out == ZRange.of_shape(shapes[1]) and own == ZRange.of_shape(shapes[0])
        return Reshape(*shapes) if whole else Reshape(*shapes, out, own)

    def text(self) -> str:
        return str(self.new) if self.window is None else f"{self.new}, cells {self.window}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        (x,) = inputs
        if self.window is None or self.held is None:
            return x.reshape(self.new)
        whole = np.zeros(self.old, x.dtype)
        whole[self.held.index()] = x
        return whole.reshape(self.new)[self.window.index()]


def _box(sides: Sequence[tuple[int, int]]) -> ZRange:
    return ZRange(tuple(a for a, _ in sides), tuple(b for _, b in sides))


@lru_cache(maxsize=256)
def parts_of(
    old: tuple[int, ...], new: tuple[int, ...], groups: tuple[DimGroup, ...], box: ZRange
) -> tuple[tuple[GroupPart, ...], ...]:
    """For each group, the parts of a tensor of shape `old` that hold the cells `box` of `new`."""
    group_parts: list[tuple[GroupPart, ...]] = []
    budget, size = MOST_RESHAPE_BOXES, max(1, box.size)
    for a, b, c, d in groups:
        lo, hi = box.lo[c:d], box.hi[c:d]
        beside = size // max(1, prod(h - n for n, h in zip(lo, hi, strict=True)))
        parts = _group_parts(old[a:b], new[c:d], lo, hi, budget, RESHAPE_SLACK_CELLS // beside)
        budget //= len(parts)
        group_parts.append(parts)
    return tuple(group_parts)


def _group_parts(
    old: tuple[int, ...],
    new: tuple[int, ...],
    lo: tuple[int, ...],
    hi: tuple[int, ...],
    most: int,
    slack: int,
) -> tuple[GroupPart, ...]:
    """At most so many parts of one group, or one that holds `slack` cells more, or a quarter."""
    first, last = ravel(lo, new), ravel([h - 1 for h in hi], new)
    low, high = span_box(first, last, old)
    shape = tuple(b - a for a, b in zip(lo, hi, strict=True))
    cells, held = prod(shape), prod(b - a for a, b in zip(low, high, strict=True))
    offset = first - ravel(low, old)
    hull = GroupPart(tuple(low), tuple(high), offset, shape, strides(new), 0, cells)
    if held - cells <= max(slack, cells // 4):
        return (hull,)
    if run_count(lo, hi, new) * max(1, 2 * len(old) - 1) > most:
        return (hull,)
    return tuple(_exact_parts(old, runs(lo, hi, new)))


def _exact_parts(old: tuple[int, ...], spans: Any) -> list[GroupPart]:
    parts: list[GroupPart] = []
    start = 0
    for first, end in spans:
        for lo, hi in boxes_of_span(first, end, old):
            length = prod(b - a for a, b in zip(lo, hi, strict=True))
            parts.append(GroupPart(lo, hi, 0, (length,), (1,), start, length))
            start += length
    return parts


def flattened(chunks: Chunks) -> AxisChunks | None:
    """Chunks of dimensions that become one, in C order.

    The first dimension that is cut decides; the ones before it repeat its edges, the ones behind it
    are taken whole. None where that would be more than `MOST_CHUNK_EDGES`.
    """
    at = next((n for n, one in enumerate(chunks) if one.cuts.count > 1), 0)
    cuts, said, *_ = chunks[at]
    before = prod(one.cuts.extent for one in chunks[:at])
    behind = prod(one.cuts.extent for one in chunks[at + 1 :])
    extent = before * cuts.extent * behind
    if not cuts.edges and (before == 1 or (cuts.lead == cuts.step and not cuts.extent % cuts.step)):
        return AxisChunks(Cuts.regular(extent, cuts.step * behind, cuts.lead * behind), said)
    if before * cuts.count > MOST_CHUNK_EDGES:
        return None
    return AxisChunks(Cuts.of_lengths([n * behind for n in cuts.lengths()] * before), said)


def reshape(x: Tensor, shape: int | Sequence[int]) -> Tensor:
    """Reshape in C order as `numpy.reshape` does; one dimension may be -1.

    Raises
    ------
    ShapeError
        If the shapes hold different numbers of cells.
    """
    given = tuple(integer(n) for n in shape) if isinstance(shape, Sequence) else (integer(shape),)
    new = _infer_shape(given, x.type)
    return x if new == x.type.shape else apply(Reshape(x.type.shape, new), x)


def _infer_shape(shape: tuple[int, ...], x: TensorType) -> tuple[int, ...]:
    unknown = [i for i, n in enumerate(shape) if n < 0]
    if len(unknown) > 1:
        raise ShapeError(f"can only specify one unknown dimension, got {shape}")
    known = prod(n for n in shape if n >= 0)
    if unknown and known and x.size % known == 0:
        at = unknown[0]
        return (*shape[:at], x.size // known, *shape[at + 1 :])
    if unknown or known != x.size:
        raise ShapeError(f"cannot reshape {x} of size {x.size} into shape {shape}")
    return shape
