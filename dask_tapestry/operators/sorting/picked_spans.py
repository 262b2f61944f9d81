"""Picked spans: the slices of a tensor where a mask is true, kept by who counts them.

What is picked is no larger than what it is picked from, and mostly much smaller: who keeps it
instead of the mask alone does not compute or read all of that again.

=============  =====================================================  ==========
operator       what it yields                                         blocks
=============  =====================================================  ==========
`PickedSpans`  buckets (spans) of the slices that the mask selects    by span
`JoinedSpans`  these slices, once they have been counted              by slice
=============  =====================================================  ==========
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.layouts.nominal_chunks import with_chunks_kept
from dask_tapestry.teg import (
    BlockOperator,
    IndexDim,
    Operator,
    Signature,
    Source,
    Tensor,
    TensorType,
    apply,
)
from dask_tapestry.teg.buckets import buckets_type, cells_of, is_buckets
from dask_tapestry.teg.node import reapply
from dask_tapestry.teg.nominal import nominal_chunks
from dask_tapestry.teg.operator import Types, by_signature, signature_of
from dask_tapestry.teg.stored_grid import stored_cuts
from dask_tapestry.zspace import Cuts, IndexProjection, ZRange


@dataclass(frozen=True)
class PickedSpans(BlockOperator):
    """Bucket k has the slices of the first input where span k of a mask, the second, is true.

    Slices are along the first axis, which is as long as the mask.
    """

    name = "pickedspans"
    kernel = "pickspans"
    fills = False
    repeats = True
    span: int

    def infer(self, *inputs: TensorType) -> TensorType:
        x, spans = inputs[0], -(-inputs[1].shape[0] // self.span)
        return buckets_type((spans,), x.dtype, x.size / max(1, spans))

    def signature(self, *inputs: TensorType) -> Signature:
        x, mask = inputs
        rows = x.shape[1:]
        reads = IndexProjection(
            ((self.span,), *((0,),) * len(rows)), (0,) * x.ndim, (self.span, *rows)
        )
        flat = IndexProjection(((self.span,),), (0,), (self.span,))
        extent = -(-mask.shape[0] // self.span)
        index = (IndexDim("span", extent),)
        return Signature(index, (reads, flat), (IndexProjection.identity(1),))

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        wanted = signature_of(self, inputs).demand(box)
        return tuple(x.clip(part) for x, part in zip(inputs, wanted, strict=True))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"span": self.span}

    def flops(self, inputs: Types, box: ZRange) -> int:
        """One operation for each cell of the mask."""
        return box.size * self.span

    def text(self) -> str:
        return f"span={self.span}"


@dataclass(frozen=True)
class JoinedSpans(Operator):
    """The slices in all buckets (spans), in their order.

    Parameters
    ----------
    ends
        Running sums of the lengths of the buckets, int64, as bytes.
    type
        Of the slices; along the first axis as many as there are.
    stored_cuts
        The grid in which the data is stored that they are made of.
    """

    name = "joinedspans"
    kernel = "joinspans"
    category = "block"
    transparent = True
    fills = True
    repeats = True
    ends: bytes
    type: TensorType
    stored_cuts: tuple[Cuts | None, ...] | None = None

    @cached_property
    def edges(self) -> list[int]:
        """Where each bucket begins in the output, and the end."""
        edges: list[int] = np.frombuffer(self.ends, np.int64).tolist()
        return [0, *edges]

    def infer(self, *inputs: TensorType) -> TensorType:
        return self.type

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        lo, hi = box.lo[0], box.hi[0]
        if lo >= hi:
            return (ZRange((0,), (0,)),)
        return (ZRange((bisect_right(self.edges, lo) - 1,), (bisect_left(self.edges, hi),)),)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        skip = box.lo[0] - self.edges[boxes[0].lo[0]]
        within = tuple(map(slice, box.lo[1:], box.hi[1:]))
        told = {"skip": skip, "length": box.shape[0], "within": within}
        return told | {"dtype": cells_of(inputs[0])}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return prod(box.shape)

    def text(self) -> str:
        return f"{self.edges[-1]} slices in {len(self.edges) - 1} spans"


def picked_spans(x: Tensor, mask: Tensor, span: int) -> Tensor:
    """Buckets (spans) of the slices of `x` along its first axis where a mask is true."""
    return apply(PickedSpans(span), x, mask)


def joined_spans(buckets: Tensor, counts: np.ndarray[Any, Any], picked: Tensor) -> Tensor:
    """The slices in all buckets, whose lengths are `counts`.

    Parameters
    ----------
    picked
        The same value, picked of all slices: its chunks and stored grid are those of the result.
    """
    joined = _joined(buckets, counts, picked.type, stored_cuts(picked))
    return with_chunks_kept(joined, nominal_chunks(picked))


def all_spans(buckets: Tensor, counts: np.ndarray[Any, Any]) -> Tensor:
    """The cells in all buckets, whose lengths are `counts`."""
    return _joined(buckets, counts, TensorType((int(counts.sum()),), cells_of(buckets.type)))


def _joined(
    buckets: Tensor,
    counts: np.ndarray[Any, Any],
    type_: TensorType,
    stored: tuple[Cuts | None, ...] | None = None,
) -> Tensor:
    ends = np.cumsum(counts, dtype=np.int64).tobytes()
    return apply(JoinedSpans(ends, type_, stored), _of_cells(buckets, type_.size))


def _of_cells(buckets: Tensor, cells: int) -> Tensor:
    """Buckets that are there, with so many cells in all: a plan counts no more of them."""
    if len(buckets.inputs) == 1 and is_buckets(buckets.inputs[0].type):  # their chunks are named
        return reapply(buckets, [_of_cells(buckets.inputs[0], cells)], buckets.after)
    if not isinstance(buckets.operator, Source):
        return buckets
    own: Any = buckets.operator
    mean = cells / max(1, buckets.type.size)
    counted = buckets_type(buckets.type.shape, cells_of(buckets.type), mean)
    return apply(replace(own, type=counted), line=buckets.line or "", after=buckets.after)
