"""SetCells: the distinct cells of two vectors that a set operation asks for.

How many these are only a run tells: they are in buckets, one for each span of the cells of both
vectors in their order, so that each bucket has the same cells whoever makes it. Of vectors that no
block holds, runs are sorted where they lie and split together: cells travel once, and a consumer
tells of its own cells which are the first of their kind, and whether the other vector has them.

=============  =============================================================  ======================
operator       what it yields                                                 blocks
=============  =============================================================  ======================
`SetCells`     buckets (spans,) of the cells that are chosen                  whole
`SetOfRuns`    the same, of split runs                                        by consumer
`BucketSizes`  how many cells each bucket has                                 by bucket
=============  =============================================================  ======================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.forms import offered, stand_in
from dask_tapestry.operators.lanes import PLACES, sort_bytes, sort_flops
from dask_tapestry.operators.reductions.count_nonzero import COUNTS, span_of
from dask_tapestry.operators.sorting.exchange import (
    NO,
    YES,
    ExchangeOperator,
    of_runs,
    windows_around,
)
from dask_tapestry.operators.sorting.joint_runs import (
    joint_run_counts,
    one_zero,
    split_together,
)
from dask_tapestry.operators.tuning import CHOICE_MARKS, LOOKED_UP_FLOPS
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Form, IndexDim, Kind, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.buckets import buckets_type, cells_of
from dask_tapestry.teg.operator import Types, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange
from dask_tapestry_kernels.parameters.joint_runs import JointRuns

Choice: TypeAlias = Literal["both", "first", "one"]


@dataclass(frozen=True)
class SetCells(ExchangeOperator):
    """Buckets (spans,): the distinct cells that both vectors have, or the first alone, or just one.

    Every NaN of a vector is the same, and none is in the other.
    """

    name = "setcells"
    kernel = "setcells"
    fills = False
    choice: Choice
    span: int

    def infer(self, *inputs: TensorType) -> TensorType:
        sizes = [x.size for x in inputs]
        spans = -(-sum(sizes) // self.span)
        most = most_cells(self.choice, sizes)
        return buckets_type((spans,), inputs[0].dtype, most / max(1, spans))

    def signature(self, *inputs: TensorType) -> Signature:
        """One point, which reads and writes all."""
        tensors = *inputs, self.infer(*inputs)
        *reads, writes = (IndexProjection.whole(one.shape, 1) for one in tensors)
        return Signature((IndexDim("all", 1, Kind.ATOMIC),), tuple(reads), (writes,))

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        return offered(Form("exchange", joint_run_counts(*inputs), by_exchange))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"choice": self.choice, "span": self.span, "keep": self.keep(inputs, box)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return sum(sort_flops(x.size, x.size) + LOOKED_UP_FLOPS * x.size for x in inputs)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """The cells in order, what sorting takes, and what is told of each."""
        (x, *_), cells = inputs, sum(one.size for one in inputs)
        return choosing_bytes(cells, x.dtype) + sort_bytes(cells, cells, x.dtype)

    def text(self) -> str:
        return f"{self.choice}, span={self.span}"


@dataclass(frozen=True)
class SetOfRuns(ExchangeOperator):
    """Buckets (consumers * spans of each,): of the cells of both vectors, those that are chosen.

    The inputs are buckets of the runs of both, and the windows of splits, of which no more than
    `open` cells are in one.
    """

    name = "setofruns"
    kernel = "setofruns"
    fills = False
    runs: JointRuns
    open: int
    whole: SetCells

    @property
    def spans(self) -> int:
        """Buckets that each consumer makes."""
        return self.runs.length // self.whole.span

    def infer(self, *inputs: TensorType) -> TensorType:
        cells = cells_of(inputs[0])
        sides = [TensorType((n,), cells) for n in (self.runs.first, self.runs.second)]
        made: Any = self.whole.infer(*sides).dtype
        count = inputs[0].shape[-1] * self.spans
        return buckets_type((count,), cells, made.expected)

    def signature(self, *inputs: TensorType) -> Signature:
        (buckets, windows), made = inputs, self.infer(*inputs)
        plain = self.projected(buckets.shape[-1], 0, ((NO, YES), buckets), ((YES,), made))
        ends = windows_around(0, windows)
        return replace(plain, inputs=(*plain.inputs, ends), outputs=(of_runs(0, self.spans),))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        own = self.whole
        return {
            "runs": self.runs,
            "first": signature_of(self, inputs).index_range(box).lo[-1],
            "choice": own.choice,
            "span": own.span,
            "keep": self.keep(inputs, box),
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        """Both are merged, and those of one sought in those of the other, in their order."""
        cells = box.shape[-1] * self.whole.span
        return sort_flops(cells, inputs[0].shape[-2]) + LOOKED_UP_FLOPS * cells

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """Of a consumer its cells and what is told of them; and the cells in a window."""
        dtype, length = cells_of(inputs[0]), self.runs.length
        open_bytes = self.open * 2 * (dtype.itemsize + PLACES.itemsize)
        merging = sort_bytes(length, length, dtype)
        return max(choosing_bytes(length, dtype) + merging, open_bytes)

    def text(self) -> str:
        return f"{self.whole.choice}, {self.runs.length} cells each"


@dataclass(frozen=True)
class BucketSizes(ExchangeOperator):
    """How many cells each bucket has: int64."""

    name = "bucketsizes"
    kernel = "bucketsizes"
    fills = False

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType(inputs[0].shape, COUNTS)

    def signature(self, *inputs: TensorType) -> Signature:
        (buckets,) = inputs
        return self.projected(buckets.shape[0], 0, ((YES,), buckets), ((YES,), buckets))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return box.size


def most_cells(choice: Choice, sizes: Sequence[int]) -> int:
    """The most cells that may be chosen of vectors of these sizes.

    Examples
    --------
    >>> [most_cells(choice, (3, 2)) for choice in ("both", "first", "one")]
    [2, 3, 5]
    """
    if choice == "both":
        return min(sizes)
    return sizes[0] if choice == "first" else sum(sizes)


def choosing_bytes(cells: int, dtype: np.dtype[Any]) -> int:
    """Bytes that it takes to choose of so many sorted cells: copies, places, and marks."""
    return cells * (2 * dtype.itemsize + PLACES.itemsize + CHOICE_MARKS)


@stand_in
def by_exchange(node: Tensor, runs: int) -> Tensor:
    """``setcells(x, y) -> setofruns(exchange(x, y))``."""
    whole, (x, y) = node.operator, node.inputs
    assert isinstance(whole, SetCells)
    length = -(-(x.type.size + y.type.size) // (runs * whole.span)) * whole.span
    joint = JointRuns(length, x.type.size, y.type.size, is_turned=True)
    split = split_together(x, y, joint, behind=1)
    made = apply(SetOfRuns(joint, split.open, whole), split.buckets, split.windows)
    return basic_slice(made, (slice(0, node.type.size),))


def set_cells(choice: Choice, x: Tensor, y: Tensor) -> Tensor:
    """Buckets of the distinct cells that are chosen of two vectors of one dtype, which have cells.

    Zeros of both signs are one, as they are equal.
    """
    span = span_of(x.type.size + y.type.size)
    return apply(SetCells(choice, span), one_zero(x), one_zero(y))


def bucket_sizes(buckets: Tensor) -> Tensor:
    """How many cells each bucket has."""
    return apply(BucketSizes(), buckets)
