"""Take: cells of a tensor at indices that other tensors hold, along one axis or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.cells import Spaced, Span
from dask_tapestry.errors import DTypeError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.forms import offered, stand_in
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.indexing import bucket_shuffle, masked_gather
from dask_tapestry.operators.indexing.bucket_shuffle import owner_counts
from dask_tapestry.operators.indexing.index_ranges import IndexRanges
from dask_tapestry.operators.indexing.take_by_rows import Gathered, taken_by_rows
from dask_tapestry.operators.tuning import (
    MOST_READ_APART,
    OWNERS_COMPARED,
    WORTH_SHUFFLING_BYTES,
)
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Form, Progression, Region, Selector, Tensor, TensorType, apply
from dask_tapestry.teg.chunking import Chunks, Known
from dask_tapestry.teg.operator import Restriction, Types, uniform
from dask_tapestry.teg.regularity import ANYWHERE, Regularity
from dask_tapestry.teg.stored_grid import stored_spacing
from dask_tapestry.zspace import ZRange
from dask_tapestry.zspace.range import trusted_range


@dataclass(frozen=True)
class Take(Selector):
    """Cells of the first input at the indices of `axes` that the other inputs hold.

    The other inputs, one for each of `axes`, are integers of one shape J; negative ones count from
    the end. The output's dimensions are those of the first input that are not in `axes`, with J's
    inserted at `at`. With `bounds`, a block reads the range of its indices; else `axes` whole. Of
    `stored` data it reads only the chunks along its one axis that it needs, if they are not many.
    """

    name = "take"
    kernel = "take"
    transparent = True
    meets_all_inputs = True
    copies = True
    axes: tuple[int, ...]
    at: int
    bounds: IndexRanges | None = None
    stored: Spaced | None = None

    @property
    def made_in_parts(self) -> bool:  # type: ignore[override]
        """Whether any of its cells are of one box of the first input."""
        return self.stored is None or self.bounds is None

    def gathers(self, inputs: Types) -> int | None:
        is_one = self.axes == (self.at,) and inputs[1].ndim == 1
        return self.at if is_one else None

    def infer(self, *inputs: TensorType) -> TensorType:
        x, indices = inputs[0], inputs[1]
        outer = [n for dim, n in enumerate(x.shape) if dim not in self.axes]
        dims = None
        if x.dims:
            names = [name for dim, name in enumerate(x.dims) if dim not in self.axes]
            own = x.dims[self.axes[0]] if indices.ndim == len(self.axes) == 1 else None
            dims = (*names[: self.at], *(own,) * indices.ndim, *names[self.at :])
        return TensorType((*outer[: self.at], *indices.shape, *outer[self.at :]), x.dtype, dims)

    def value_span(self, inputs: Types, spans: Sequence[Span | None]) -> Span | None:
        return spans[0]

    def _split(self, inputs: Types) -> tuple[list[int], int]:
        """Dimensions of the first input that are not in `axes`, and J's rank."""
        kept = [dim for dim in range(inputs[0].ndim) if dim not in self.axes]
        return kept, inputs[1].ndim

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        x = inputs[0]
        rank, at = inputs[1].ndim, self.at
        index_box = trusted_range(box.lo[at : at + rank], box.hi[at : at + rank])
        lo, hi = [*box.lo[:at], *box.lo[at + rank :]], [*box.hi[:at], *box.hi[at + rank :]]
        is_empty = index_box.is_empty
        for number, axis in enumerate(self.axes):  # they ascend
            begin, end = 0, 0 if is_empty else x.shape[axis]
            if self.bounds is not None and not is_empty:
                begin, end = self.bounds.hull(number, index_box)
            lo.insert(axis, begin)
            hi.insert(axis, end)
        return (trusted_range(tuple(lo), tuple(hi)), *(index_box,) * len(self.axes))

    def pieces(self, inputs: Types, box: ZRange) -> tuple[tuple[int, ZRange], ...]:
        """The ranges of the first input that hold its indices, then the indices."""
        hull, *places = self.demand(inputs, box)
        reads = [hull]
        if self.stored is not None and self.bounds is not None and not hull.is_empty:
            found = self.bounds.apart(0, places[0], self.stored)
            if len(found) <= MOST_READ_APART:
                reads = [hull.replace(self.axes[0], lo, hi) for lo, hi in found]
        return (*[(0, read) for read in reads], *enumerate(places, 1))

    def regularity(self, inputs: Types) -> Regularity:
        """Along the indices their values tell what is read, where it is known."""
        kept, rank = self._split(inputs)
        places = None if self.bounds is not None else ANYWHERE
        here = range(self.at, self.at + rank)
        return tuple([places if a in here else ANYWHERE for a in range(len(kept) + rank)])

    def flops(self, inputs: Types, box: ZRange) -> int:
        """One operation for each run of cells that is contiguous in input and output."""
        kept, rank = self._split(inputs)
        whole = all(dim > axis for dim in kept[self.at :] for axis in self.axes)
        run = box.shape[self.at + rank :] if whole else ()
        return box.size // max(1, prod(run))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        told = {
            "axes": self.axes,
            "at": self.at,
            "extents": tuple(inputs[0].shape[axis] for axis in self.axes),
            "origin": tuple(boxes[0].lo[axis] for axis in self.axes),
        }
        parts = boxes[: len(boxes) - len(self.axes)]
        if len(parts) > 1:
            told["starts"] = tuple([part.lo[self.axes[0]] for part in parts])
        return told

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        """Indices sent to the owners of parts of a table, and rows back, as of a gather.

        Few owners may look at all indices instead.
        """
        x, indices = inputs[0], inputs[1]
        if x.nbytes < WORTH_SHUFFLING_BYTES or not indices.size or x.dtype.hasobject:
            return ()
        rows = prod(x.shape[axis] for axis in self.axes)
        few = tuple(n for n in OWNERS_COMPARED if n <= rows)
        return offered(Form("shuffle", owner_counts(rows), by_shuffle), Form("mask", few, by_mask))

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        kept, rank = self._split(inputs)
        index_region = Region(region[self.at : self.at + rank])
        outer = [*region[: self.at], *region[self.at + rank :]]
        reads = list(Region.whole(inputs[0].shape))
        for dim, part in zip(kept, outer, strict=True):
            reads[dim] = part
        bounds = self.bounds.restrict(index_region) if self.bounds is not None else None
        cut = Take(self.axes, self.at, bounds, self.stored)
        return Restriction(cut, (Region(reads), *(index_region,) * len(self.axes)), region)

    def follow(self, inputs: Types, chunks: tuple[Chunks, ...]) -> Known:
        """Few indices of one axis come in chunks as long as that axis's, others in their own."""
        outer_dims, rank = self._split(inputs)
        x, indices = inputs[0], inputs[1]
        index_chunks: Known = chunks[1]
        few = not chunks[1][0].said or indices.nbytes <= x.nbytes if rank == 1 else False
        if few and len(self.axes) == 1:
            index_chunks = (chunks[0][self.axes[0]].refilled(indices.shape[0]),)
        outer = [chunks[0][dim] for dim in outer_dims]
        return (*outer[: self.at], *index_chunks, *outer[self.at :])

    def text(self) -> str:
        return f"axes={self.axes}, at={self.at}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, *places = inputs
        front = np.moveaxis(x, self.axes, range(len(self.axes)))
        taken = front[tuple(places)]
        rank = places[0].ndim
        return np.moveaxis(taken, range(rank), range(self.at, self.at + rank))


@stand_in
def by_shuffle(node: Tensor, owners: int) -> Tensor:
    """``take(x, i) -> returned(served(routed(i), x), i)``."""
    return _in_form(node, owners, bucket_shuffle.gathered)


@stand_in
def by_mask(node: Tensor, owners: int) -> Tensor:
    """``take(x, i) -> returned(answered(i, x), i)``."""
    return _in_form(node, owners, masked_gather.gathered)


def _in_form(node: Tensor, owners: int, gathered: Gathered) -> Tensor:
    whole, (x, *indices) = node.operator, node.inputs
    assert isinstance(whole, Take)
    return taken_by_rows(x, indices, whole.axes, whole.at, owners, gathered)


def take_places(
    x: Tensor,
    indices: Sequence[Tensor],
    axes: Sequence[int],
    at: int,
    bounds: IndexRanges | None = None,
) -> Tensor:
    """Cells of `x` at `indices` along `axes`, which are broadcast together.

    Parameters
    ----------
    at
        Dimension of the result at which the dimensions of the indices begin.
    bounds
        Ranges of the indices, where they are known.

    Raises
    ------
    DTypeError
        If the indices are not integers.
    ShapeError
        If they do not broadcast.
    """
    for p in indices:
        if p.type.dtype.kind not in "iu":
            raise DTypeError(f"indices must be integers, not {p.type}")
    shape = broadcast_shape([p.type.shape for p in indices], "indexing arrays")
    ordered = sorted(zip(axes, indices, strict=True), key=lambda pair: pair[0])
    if list(axes) != [axis for axis, _ in ordered]:
        bounds = None
    whole, own = [broadcast(p, shape) for _, p in ordered], tuple(axis for axis, _ in ordered)
    stored = stored_spacing(x)[own[0]] if bounds is not None and len(own) == 1 else None
    return apply(Take(own, at, bounds, stored), x, *whole)


def take(x: Tensor, places: Tensor, axis: int) -> Tensor:
    """Slices of `x` along `axis` at `places`, as `numpy.take`.

    Indices out of bounds raise IndexError when the slices are computed.
    """
    number = normalize_axis(axis, x.type.ndim)
    return take_places(x, [places], [number], number)


def take_along_axis(x: Tensor, indices: Tensor, axis: int) -> Tensor:
    """Cell o is `x` at o, but at ``places[o]`` along `axis`, as `numpy.take_along_axis`.

    The other dimensions broadcast against each other. Of a vector it is `take`, which has forms.
    """
    number = normalize_axis(axis, x.type.ndim)
    rank = x.type.ndim
    if rank == 1:
        return take(x, indices, 0)
    sides = [
        broadcast_shape([(a,), (b,)], "x and its places")[0] if dim != number else b
        for dim, (a, b) in enumerate(zip(x.type.shape, indices.type.shape, strict=True))
    ]
    spread = broadcast(
        x, tuple(n if dim != number else x.type.shape[dim] for dim, n in enumerate(sides))
    )
    whole = broadcast(indices, tuple(sides))
    return apply(TakeAlongAxis(number), spread, whole) if rank else x


@dataclass(frozen=True)
class TakeAlongAxis(Selector):
    """Cell o is the first input's cell o, but with the second input's cell o as index of `axis`."""

    name = "takealongaxis"
    kernel = "takealong"
    transparent = True
    meets_all_inputs = True
    copies = True
    axis: int

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(inputs[1].shape, inputs[0].dtype, inputs[0].dims)

    def value_span(self, inputs: Types, spans: Sequence[Span | None]) -> Span | None:
        return spans[0]

    regularity = uniform

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        end = 0 if box.is_empty else inputs[0].shape[self.axis]
        return (box.replace(self.axis, 0, end), box)

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"axis": self.axis, "extent": inputs[0].shape[self.axis]}

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        whole = Progression(0, 1, inputs[0].shape[self.axis])
        reads = Region((*region[: self.axis], whole, *region[self.axis + 1 :]))
        return Restriction(self, (reads, region), region)

    def text(self) -> str:
        return f"axis={self.axis}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, places = inputs
        return np.take_along_axis(x, places, self.axis)


def open_grid(shape: tuple[int, ...]) -> list[Tensor]:
    """Coordinates along each axis of `shape`, as tensors that broadcast to it (`numpy.ogrid`)."""
    return [
        unsqueeze(coordinates((n,), 0), _other_dims(dim, len(shape))) for dim, n in enumerate(shape)
    ]


def _other_dims(dim: int, ndim: int) -> tuple[int, ...]:
    return tuple(other for other in range(ndim) if other != dim)
