"""Reshape: the same cells in C order under another shape.

The dimensions fall into groups of equal extent on both sides: within a group the cells have one
running number, between groups nothing moves. A box of the output is then a span of running numbers
in each group, and a span is read as the smallest box of the input's dimensions that holds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from operator import index
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.errors import ShapeError
from dask_tapestry.teg import Progression, Region, Selector, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Restriction, Types
from dask_tapestry.zspace import ZRange


class Group(NamedTuple):
    """Input dimensions ``[a, b)`` and output dimensions ``[c, d)`` that hold the same numbers."""

    a: int
    b: int
    c: int
    d: int


@dataclass(frozen=True)
class Reshape(Selector):
    """Cells of a tensor of shape `old`, in C order, under shape `new`."""

    name = "reshape"
    kernel = "reshape"
    old: tuple[int, ...]
    new: tuple[int, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        dims = None
        if x.dims:
            names: list[str | None] = [None] * len(self.new)
            for a, b, c, d in self.groups:
                if b - a == d - c == 1:
                    names[c] = x.dims[a]
            dims = tuple(names)
        return TensorType(self.new, x.dtype, dims)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """The finest groups, from left to right."""
        if 0 in self.old:
            return (Group(0, len(self.old), 0, len(self.new)),)
        groups: list[Group] = []
        a = c = 0
        while a < len(self.old) or c < len(self.new):
            b, d = min(a + 1, len(self.old)), min(c + 1, len(self.new))
            while (m := prod(self.old[a:b])) != (n := prod(self.new[c:d])):
                b, d = (b + 1, d) if m < n else (b, d + 1)
            groups.append(Group(a, b, c, d))
            a, c = b, d
        return tuple(groups)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        if box.is_empty:
            return (ZRange((0,) * len(self.old), (0,) * len(self.old)),)
        lo: list[int] = []
        hi: list[int] = []
        for a, b, c, d in self.groups:
            first = ravel(box.lo[c:d], self.new[c:d])
            last = ravel([h - 1 for h in box.hi[c:d]], self.new[c:d])
            low, high = span_box(first, last, self.old[a:b])
            lo += low
            hi += high
        return (ZRange(tuple(lo), tuple(hi)),)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        sizes, offsets, spans = [], [], []
        for a, b, c, d in self.groups:
            base = ravel(boxes[0].lo[a:b], self.old[a:b])
            sizes.append(prod(boxes[0].shape[a:b]))
            offsets.append(ravel(box.lo[c:d], self.new[c:d]) - base)
            spans.append(strides(self.new[c:d]))
        return {"sizes": sizes, "offsets": offsets, "spans": spans, "shape": box.shape}

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        if region.is_empty:
            return None
        ins: list[Progression] = []
        outs: list[Progression] = []
        for group in self.groups:
            reads, yields = self._restrict_group(group, region)
            ins += reads
            outs += yields
        wanted, given = Region(outs), Region(ins)
        return Restriction(Reshape(given.shape, wanted.shape), (given,), wanted)

    def _restrict_group(
        self, group: Group, region: Region
    ) -> tuple[Sequence[Progression], Sequence[Progression]]:
        a, b, c, d = group
        wanted = region[c:d]
        if b - a == d - c == 1:
            return wanted, wanted
        first = ravel([p.start for p in wanted], self.new[c:d])
        last = ravel([p.stop - 1 for p in wanted], self.new[c:d])
        low, high = span_box(first, last, self.old[a:b])
        exact = prod(p.count for p in wanted) == last - first + 1
        if exact and prod(h - n for n, h in zip(low, high, strict=True)) == last - first + 1:
            return [Progression.of(n, 1, h - n) for n, h in zip(low, high, strict=True)], wanted
        return Region.whole(self.old[a:b]), Region.whole(self.new[c:d])

    def text(self) -> str:
        return str(self.new)

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return inputs[0].reshape(self.new)


def reshape(x: Tensor, shape: int | Sequence[int]) -> Tensor:
    """Reshape in C order as `numpy.reshape` does; one dimension may be -1.

    Raises
    ------
    ShapeError
        If the shapes hold different numbers of cells.
    """
    given = tuple(index(n) for n in shape) if isinstance(shape, Sequence) else (index(shape),)
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


def strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Running-number steps of the dimensions of `shape` in C order.

    Examples
    --------
    >>> strides((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(prod(shape[i + 1 :]) for i in range(len(shape)))


def ravel(point: Sequence[int], shape: Sequence[int]) -> int:
    """Running number of `point` in C order."""
    number = 0
    for coordinate, extent in zip(point, shape, strict=True):
        number = number * extent + coordinate
    return number


def unravel(number: int, shape: Sequence[int]) -> list[int]:
    """Point with running number `number`."""
    point = []
    for extent in reversed(shape):
        number, coordinate = divmod(number, extent)
        point.append(coordinate)
    return point[::-1]


def span_box(first: int, last: int, shape: Sequence[int]) -> tuple[list[int], list[int]]:
    """Smallest box of `shape` that holds the running numbers `first` to `last`.

    Its own cells are consecutive: equal leading coordinates, one range, whole trailing dimensions.

    Examples
    --------
    >>> span_box(4, 9, (5, 3, 2))
    ([0, 0, 0], [2, 3, 2])
    """
    lo, hi = unravel(first, shape), unravel(last, shape)
    differ = next((i for i, (p, q) in enumerate(zip(lo, hi, strict=True)) if p != q), len(shape))
    for i in range(differ + 1, len(shape)):
        lo[i], hi[i] = 0, shape[i] - 1
    return lo, [h + 1 for h in hi]
