"""TopK: the largest or smallest cells of a lane, chosen from those of its runs."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.axes import normalize_axis
from dask_tapestry.operators.cells.field import field
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.lanes import LaneOperator, pair_dtype, sort_bytes, sort_flops
from dask_tapestry.operators.sorting.sort import argsort, sort
from dask_tapestry.operators.sorting.unordered_cells import in_order_of_chunks, run_of_chunks
from dask_tapestry.operators.tuning import (
    SHORTEST_TOPK_LANE,
    SHORTEST_TOPK_RUN,
    TOPK_SAVING,
)
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.reverse import reverse
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import BlockOperator, IndexDim, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types, by_signature, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True)
class TopK(BlockOperator):
    """The `keep` last, or first, cells in order of each run of `length` cells of the last axis.

    Of shape (..., runs, keep). The last run may be shorter, but has at least `keep` cells.
    """

    name = "topk"
    kernel = "top"
    keep: int
    length: int
    last: bool

    def infer(self, *inputs: TensorType) -> TensorType:
        (x,) = inputs
        return x._replace(shape=(*x.shape[:-1], -(-x.shape[-1] // self.length), self.keep))

    def signature(self, *inputs: TensorType) -> Signature:
        *lanes, runs, keep = self.infer(*inputs).shape
        ndim, unit_widths = len(lanes) + 1, (1,) * len(lanes)
        rows = [[int(dim == axis) for dim in range(ndim)] for axis in range(ndim)]
        writes = (*map(tuple, rows), (0,) * ndim)
        rows[-1][-1] = self.length
        return Signature(
            (*[IndexDim(f"i{dim}", n) for dim, n in enumerate(lanes)], IndexDim("run", runs)),
            (IndexProjection(tuple(map(tuple, rows)), (0,) * ndim, (*unit_widths, self.length)),),
            (IndexProjection(writes, (0,) * (ndim + 1), (*unit_widths, 1, keep)),),
        )

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        (wanted,) = signature_of(self, inputs).demand(box)
        return (inputs[0].clip(wanted),)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        part = slice(box.lo[-1], box.hi[-1])
        return {"keep": self.keep, "length": self.length, "last": self.last, "part": part}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return sort_flops(self.demand(inputs, box)[0].size, 2)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        (x,) = inputs
        cells = self.demand(inputs, box)[0].size  # a copy of them is partitioned
        return cells * x.dtype.itemsize + sort_bytes(cells, self.length, x.dtype)

    def text(self) -> str:
        return f"{'last' if self.last else 'first'} {self.keep} of {self.length}"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        (x,) = inputs
        runs = [np.sort(x[..., a : a + self.length]) for a in range(0, x.shape[-1], self.length)]
        return np.stack(
            [r[..., -self.keep :] if self.last else r[..., : self.keep] for r in runs], -2
        )


@dataclass(frozen=True)
class WithPlaces(BlockOperator):
    """Structured cells: each cell of the first input, and its index, the second input's cell."""

    name = "withplaces"
    kernel = "withplaces"
    transparent = True

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(inputs[0].shape, pair_dtype(inputs[0].dtype))

    def signature(self, *inputs: TensorType) -> Signature:
        every = IndexProjection.identity(inputs[0].ndim)
        index = tuple(IndexDim(f"i{dim}", n) for dim, n in enumerate(inputs[0].shape))
        return Signature(index, (every, every), (every,))

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        pairs = np.empty(inputs[0].shape, pair_dtype(inputs[0].dtype))
        pairs["key"], pairs["place"] = inputs
        return pairs


@dataclass(frozen=True)
class MergeLanes(LaneOperator):
    """Cells in ascending order along `axis`, of lanes that are a few sorted runs."""

    name = "mergelanes"
    kernel = "sort"
    axis: int

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"axis": self.axis, "part": self.part(box), "in_runs": True}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return sort_flops(self.demand(inputs, box)[0].size, inputs[0].shape[self.axis])

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.sort(inputs[0], axis=self.axis)


def topk(x: Tensor, k: int, axis: int) -> Tensor:
    """The `k` largest cells along `axis`, largest first; ``-k`` smallest, smallest first."""
    number = normalize_axis(axis, x.type.ndim)
    keep = min(abs(k), x.type.shape[number])
    end = sorted_end(x, number, keep, last=k > 0)
    if end is None:
        return _ends(sort(x, number), number, keep, k > 0)
    return reverse(end, number) if k > 0 else end


def argtopk(x: Tensor, k: int, axis: int) -> Tensor:
    """Indices along `axis` of the cells that `topk` yields; of equal cells, the last ones."""
    number = normalize_axis(axis, x.type.ndim)
    keep = min(abs(k), x.type.shape[number])
    end = sorted_end(x, number, keep, last=k > 0, places=True)
    if end is None:
        return _ends(argsort(x, number), number, keep, k > 0)
    return reverse(end, number) if k > 0 else end


def sorted_end(x: Tensor, axis: int, keep: int, last: bool, places: bool = False) -> Tensor | None:
    """The `keep` first or last cells of `x` sorted along `axis`, or their places, ascending.

    None where lanes are so short, or so many cells are kept, that all are as well sorted.
    """
    if not _is_partitioned(x, axis, keep, places):
        return None
    length = _run_length(x, keep) if x.type.ndim == 1 else _length(x.type.shape[axis], keep)
    if x.type.ndim == 1 and not places:
        x = in_order_of_chunks(x)
    lanes, back = _last(x, axis)
    if places:
        lanes = _with_places(lanes)
    found = _candidates(lanes, keep, length, last)
    rank = x.type.ndim - 1
    is_one_run = found.type.shape[rank] == keep
    ordered = found if is_one_run else _merged(found, rank, places)
    first = ordered.type.shape[rank] - keep if last else 0
    chosen = basic_slice(ordered, (*(slice(None),) * rank, slice(first, first + keep)))
    return permute(field(chosen, "place") if places else chosen, back)


def _with_places(lanes: Tensor) -> Tensor:
    places = broadcast(coordinates((lanes.type.shape[-1],), 0), lanes.type.shape)
    return apply(WithPlaces(), lanes, places)


def _merged(found: Tensor, axis: int, places: bool) -> Tensor:
    """What is kept of several runs, in order."""
    return apply(MergeLanes(axis), found) if places else sort(found, axis)


def _is_partitioned(x: Tensor, axis: int, keep: int, places: bool) -> bool:
    """Whether the cells to keep are found sooner than lanes are sorted: pairs only in long ones."""
    is_number = x.type.dtype.kind in "biuf" and not places
    shortest = SHORTEST_TOPK_LANE if is_number else 2 * SHORTEST_TOPK_RUN
    return keep > 0 and x.type.shape[axis] >= max(shortest, 2 * TOPK_SAVING * keep)


def _last(x: Tensor, axis: int) -> tuple[Tensor, list[int]]:
    """`x` with `axis` last, and the order of dimensions that undoes it."""
    order = [dim for dim in range(x.type.ndim) if dim != axis] + [axis]
    return permute(x, order), [order.index(dim) for dim in range(x.type.ndim)]


def _candidates(lanes: Tensor, keep: int, length: int, last: bool) -> Tensor:
    """Fewer cells of each lane, among them the wanted ones."""
    *outer, _ = lanes.type.shape
    best = apply(TopK(keep, length, last), lanes)
    return reshape(best, (*outer, best.type.shape[-2] * keep))


def _length(cells: int, keep: int) -> int:
    """Cells of a run, of which none is shorter than half of others."""
    least = max(SHORTEST_TOPK_RUN, TOPK_SAVING * keep, isqrt(4 * cells))
    return -(-cells // max(1, cells // least))


def _run_length(x: Tensor, keep: int) -> int:
    """Cells of a run of a vector, by whole chunks or parts of them where the last run allows it."""
    cells = x.type.size
    length = _length(cells, keep)
    whole = run_of_chunks(x, length)
    return whole if (cells % whole or whole) >= keep and 2 * whole <= cells else length


def _ends(ordered: Tensor, axis: int, keep: int, last: bool) -> Tensor:
    """The first cells of sorted lanes; or the last ones, in reverse."""
    part = slice(ordered.type.shape[axis] - keep, None) if last else slice(0, keep)
    chosen = basic_slice(ordered, (*(slice(None),) * axis, part))
    return reverse(chosen, axis) if last else chosen
