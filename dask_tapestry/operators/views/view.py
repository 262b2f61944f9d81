"""View: what permute, reverse, slice, squeeze, broadcast and diagonal compose to."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.teg import Progression, Region, Selector, TensorType
from dask_tapestry.teg.operator import Demanding, Restriction, Types, uniform
from dask_tapestry.zspace import ZAffineMap, ZRange
from dask_tapestry.zspace.range import trusted_range


class ViewAxis(NamedTuple):
    """Where an input axis is read: ``start + step * o``, o the output coordinate along `dim`.

    ``dim == -1`` pins the axis to `start`.
    """

    dim: int
    start: int
    step: int


@dataclass(frozen=True)
class View(Selector):
    """Cell o, of `shape`, is the input's cell ``start + step * o[dim]`` along each input axis.

    Output dimensions that no axis names are broadcast; several axes that name one dimension are
    read along their diagonal.

    Examples
    --------
    >>> flip = View((3,), (ViewAxis(0, 2, -1),))
    >>> flip.composed_with(flip)
    View(shape=(3,), axes=(ViewAxis(dim=0, start=0, step=1),))
    """

    name = "view"
    kernel = "view"
    any_format = True
    is_view = True
    shape: tuple[int, ...]
    axes: tuple[ViewAxis, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        dims: list[str | None] = [None] * len(self.shape)
        followed = [axis.dim for axis in self.axes]
        for dim, name in zip(followed, x.dims or (None,) * x.ndim, strict=True):
            if dim >= 0 and followed.count(dim) == 1:
                dims[dim] = name
        return TensorType(self.shape, x.dtype, tuple(dims) if x.dims else None)

    regularity = uniform

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return self.demanding(inputs)(box)

    def demanding(self, inputs: Types) -> Demanding:
        pairs = zip(self.axes, inputs[0].shape, strict=True)
        axes = [(dim, start, step, extent) for (dim, start, step), extent in pairs]
        if all(dim >= 0 and step == 1 for dim, _, step, _ in axes):
            moves = [(dim, start) for dim, start, _, _ in axes]
            return lambda box: (_moved(box, moves),)

        def demand(box: ZRange) -> tuple[ZRange, ...]:
            begins, ends = box.lo, box.hi
            lo, hi = [], []
            for dim, start, step, extent in axes:
                if dim < 0:
                    lo.append(start)
                    hi.append(start + 1)
                    continue
                begin, end = begins[dim], ends[dim]
                if begin == end:
                    lo.append(min(max(start + step * begin, 0), extent))
                    hi.append(lo[-1])
                elif step > 0:
                    lo.append(start + step * begin)
                    hi.append(start + step * (end - 1) + 1)
                else:
                    lo.append(start + step * (end - 1))
                    hi.append(start + step * begin + 1)
            return (trusted_range(tuple(lo), tuple(hi)),)

        return demand

    def without_places(self, inputs: Types) -> View:
        """The view without where it begins along each axis."""
        return View(self.shape, tuple([axis._replace(start=0) for axis in self.axes]))

    def reads_once(self, inputs: Types) -> tuple[bool, ...]:
        return (all(self.shape[dim] == 1 for dim in self.broadcast),)

    def cell_map(self, inputs: Types) -> ZAffineMap:
        ndim = len(self.shape)
        rows = [[axis.step * (dim == axis.dim) for dim in range(ndim)] for axis in self.axes]
        return ZAffineMap(rows, [axis.start for axis in self.axes], ndim)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The axes that are not pinned, in the order of the output dimensions they follow."""
        moving = [axis.dim for axis in self.axes if axis.dim >= 0]
        return tuple(sorted(range(len(moving)), key=moving.__getitem__))

    @cached_property
    def runs(self) -> tuple[int, ...]:
        """How many axes of `order` follow each dimension; () where each follows one."""
        counts = Counter(axis.dim for axis in self.axes if axis.dim >= 0)
        runs = tuple(counts[dim] for dim in sorted(counts))
        return runs if any(n > 1 for n in runs) else ()

    @cached_property
    def broadcast(self) -> tuple[int, ...]:
        """Output dimensions that no axis follows."""
        followed = {axis.dim for axis in self.axes}
        return tuple(dim for dim in range(len(self.shape)) if dim not in followed)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        index: list[int | slice] = []
        for (dim, start, step), origin in zip(self.axes, boxes[0].lo, strict=True):
            if dim < 0:
                index.append(start - origin)
                continue
            first = start + step * box.lo[dim] - origin
            stop = first + step * (box.hi[dim] - box.lo[dim])
            index.append(slice(first, stop if stop >= 0 else None, step))
        return {
            "index": tuple(index),
            "order": self.order,
            "runs": self.runs,
            "broadcast": self.broadcast,
            "shape": box.shape,
        }

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        regions, axes = [], []
        for dim, start, step in self.axes:
            if dim < 0:
                regions.append(Progression(start, 1, 1))
                axes.append(ViewAxis(-1, 0, 1))
                continue
            wanted = region[dim]
            pace = step * wanted.step
            regions.append(Progression.of(start + step * wanted.start, pace, wanted.count))
            backward = pace < 0 and wanted.count > 1
            axes.append(ViewAxis(dim, wanted.count - 1 if backward else 0, -1 if backward else 1))
        return Restriction(View(region.shape, tuple(axes)), (Region(regions),), region)

    def composed_with(self, inner: View) -> View:
        """``self(inner(x))`` as one view of x."""
        axes = []
        for dim, start, step in inner.axes:
            if dim < 0:
                axes.append(ViewAxis(-1, start, 1))
                continue
            outer = self.axes[dim]
            first = start + step * outer.start
            axes.append(ViewAxis(outer.dim, first, step * outer.step if outer.dim >= 0 else 1))
        return View(self.shape, tuple(axes))

    def is_identity(self, shape: tuple[int, ...]) -> bool:
        """Whether it shows a tensor of `shape` unchanged."""
        return self.shape == shape and self.axes == identity_axes(shape)

    def text(self) -> str:
        axes = [f"{a.start}{a.step:+d}*o{a.dim}" if a.dim >= 0 else str(a.start) for a in self.axes]
        return f"[{', '.join(axes)}]"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        (x,) = inputs
        if 0 in self.shape:
            return np.empty(self.shape, x.dtype)
        places = np.indices(self.shape, sparse=True)
        index = tuple(
            np.asarray(start + (step * places[dim] if dim >= 0 else 0))
            for dim, start, step in self.axes
        )
        result: np.ndarray[Any, Any] = np.broadcast_to(x[index], self.shape)
        return result


def _moved(box: ZRange, moves: Sequence[tuple[int, int]]) -> ZRange:
    """The spans of some dimensions of a box, each moved: the cells of most views, in half the time.

    A span without cells lies in the input too, as those with cells do.
    """
    begins, ends = box.lo, box.hi
    lo = tuple([begins[dim] + way for dim, way in moves])
    return trusted_range(lo, tuple([ends[dim] + way for dim, way in moves]))


def identity_axes(shape: tuple[int, ...]) -> tuple[ViewAxis, ...]:
    """Axes of the view that changes nothing."""
    return tuple([ViewAxis(dim, 0, 1) for dim in range(len(shape))])


class ViewSelector(Selector):
    """A selector that is a view, with a name of its own: ``selector(x) -> view(x)`` in plans."""

    kernel = "view"
    any_format = True
    is_view = True

    @abstractmethod
    def view(self, x: TensorType) -> View:
        """The view it is for an input of type `x`."""

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.view(inputs[0]).infer(*inputs)

    regularity = uniform

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return self.view(inputs[0]).demand(inputs, box)

    def cell_map(self, inputs: Types) -> ZAffineMap:
        return self.view(inputs[0]).cell_map(inputs)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return self.view(inputs[0]).arguments(inputs, box, boxes)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        return self.view(inputs[0]).restrict(inputs, region)
