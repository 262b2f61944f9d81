"""Joint runs: two vectors that no block holds, whose equal cells come together by one exchange.

Runs of both are sorted where they lie and split together, as those of an exchange sort: a consumer
has as many cells of both as a run, whatever the cells are. So what one vector tells of the cells of
the other, each consumer finds for its own, and sends it back to the run that they are of. Cells
travel once, and what is told of them once.

============  =============================================================  ======================
operator      what it yields                                                 blocks
============  =============================================================  ======================
`LookedUp`    buckets (runs, consumers), what is told of cells               by consumer
`PutBack`     what is told of each cell, where it was                        by run
============  =============================================================  ======================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.lanes import PLACES, sort_bytes, sort_flops
from dask_tapestry.operators.sorting.exchange import (
    NO,
    YES,
    ExchangeOperator,
    of_runs,
    windows_around,
)
from dask_tapestry.operators.sorting.exchange_sort import (
    SortedRuns,
    SplitRuns,
    run_counts,
    split_runs,
)
from dask_tapestry.operators.tuning import (
    LOOKED_UP_FLOPS,
    TOLD_AT_A_TIME,
    TOLD_CELL_BYTES,
)
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Signature, Tensor, TensorType, apply
from dask_tapestry.teg.buckets import buckets_type, cells_of
from dask_tapestry.teg.operator import Types, by_signature, signature_of
from dask_tapestry.zspace import ZRange
from dask_tapestry_kernels.parameters.joint_runs import JointRuns
from dask_tapestry_kernels.parameters.largest_cell import largest

Answer: TypeAlias = Literal["left", "right", "within"]


@dataclass(frozen=True)
class LookedUp(ExchangeOperator):
    """Buckets (runs, consumers): what the second vector tells of cells of the first, in order.

    The inputs are buckets of the runs of both, and the windows of splits, of which no more than
    `open` cells are in one. It tells the place before which a cell goes, left or right of equal
    ones, or whether it is there.
    """

    name = "lookedup"
    kernel = "lookup"
    fills = False
    runs: JointRuns
    open: int
    answer: Answer

    def infer(self, *inputs: TensorType) -> TensorType:
        consumers, length = inputs[0].shape[-1], self.runs.length
        told = np.dtype(bool) if self.answer == "within" else PLACES
        asked = -(-self.runs.first // length)
        return buckets_type((asked, consumers), told, length / consumers)

    def signature(self, *inputs: TensorType) -> Signature:
        (buckets, windows), made = inputs, self.infer(*inputs)
        plain = self.projected(buckets.shape[-1], 0, ((NO, YES), buckets), ((NO, YES), made))
        return replace(plain, inputs=(*plain.inputs, windows_around(0, windows)))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "runs": self.runs,
            "first": signature_of(self, inputs).index_range(box).lo[-1],
            "answer": self.answer,
            "keep": self.keep(inputs, box),
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        """Both are merged, and those of one searched in those of the other, in their order."""
        cells = box.shape[-1] * self.runs.length
        return sort_flops(cells, inputs[0].shape[-2]) + LOOKED_UP_FLOPS * cells

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """A copy of the cells of one vector, and what is told of those of the other.

        And the cells in a window, their keys, order and runs.
        """
        cells, told = cells_of(inputs[0]), cells_of(self.infer(*inputs)).itemsize
        length = self.runs.length
        copied = length * cells.itemsize + sort_bytes(length, length, cells)
        open_bytes = self.open * 2 * (cells.itemsize + PLACES.itemsize)
        return max(copied, length * told) + max(open_bytes, looking_up_bytes(length))

    def text(self) -> str:
        return f"{self.answer}, {self.runs.length} cells each"


@dataclass(frozen=True)
class PutBack(ExchangeOperator):
    """What is told of each cell of a vector, the second input: of runs of `length` cells.

    The first input has buckets (runs, consumers), which tell of the cells of a run in order.
    """

    name = "putback"
    kernel = "putback"
    fills = False
    length: int

    def infer(self, *inputs: TensorType) -> TensorType:
        return TensorType((inputs[0].shape[0] * self.length,), cells_of(inputs[0]))

    def signature(self, *inputs: TensorType) -> Signature:
        buckets, run = inputs[0], of_runs(0, self.length)
        plain = self.projected(buckets.shape[0], 0, ((YES, NO), buckets), ((YES, NO), buckets))
        return replace(plain, inputs=(*plain.inputs, run), outputs=(run,))

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        wanted = signature_of(self, inputs).demand(box)
        return tuple(x.clip(cells) for x, cells in zip(inputs, wanted, strict=True))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        told = {"length": self.length, "dtype": cells_of(inputs[0])}
        return told | {"keep": self.keep(inputs, box)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return sort_flops(self.demand(inputs, box)[1].size, self.length)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """The order of a run, and what is told of it in order."""
        return self.length * (PLACES.itemsize + cells_of(inputs[0]).itemsize)

    def text(self) -> str:
        return f"{self.length} cells each"


def looking_up_bytes(cells: int) -> int:
    """Bytes that looking up so many cells takes, beside what it tells of them: some at a time."""
    return TOLD_CELL_BYTES * min(cells, TOLD_AT_A_TIME)


def joint_run_counts(x: TensorType, table: TensorType) -> tuple[int, ...]:
    """Numbers of runs in which to try to bring two vectors together; none of cells without keys."""
    if x.dtype.kind not in "biufcmMSU" or not (x.size and table.size):
        return ()
    return run_counts(x.size + table.size, x.dtype.itemsize)


def told_by_exchange(x: Tensor, table: Tensor, answer: Answer, runs: int) -> Tensor:
    """What a vector, in any order, tells of cells of any shape; of as many runs in all."""
    asked = one_zero(reshape(x, (x.type.size,)))
    length = -(-(x.type.size + table.type.size) // runs)
    joint = JointRuns(length, x.type.size, table.type.size, is_turned=answer != "left")
    split = split_together(asked, one_zero(table), joint)
    told = apply(LookedUp(joint, split.open, answer), split.buckets, split.windows)
    found = basic_slice(apply(PutBack(length), told, asked), (slice(0, x.type.size),))
    return reshape(found, x.type.shape)


def split_together(x: Tensor, table: Tensor, joint: JointRuns, behind: int = 0) -> SplitRuns:
    """The runs of both vectors, sorted and split; with so many cells more `behind` a bucket."""
    first, second = (table, x) if joint.is_turned else (x, table)
    missing = -first.type.size % joint.length
    filler = full((missing,), np.array([largest(x.type.dtype)], x.type.dtype)[0])
    cells = concat([first, filler, second] if missing else [first, second])
    lanes = apply(SortedRuns(joint.run_count, joint.length), cells)
    return split_runs(lanes, joint.groups, ahead=1, behind=behind)


def one_zero(x: Tensor) -> Tensor:
    """The cells, of which zeros of both signs are one, as they are equal."""
    return elementwise("add", x, 0.0) if x.type.dtype.kind in "fc" else x
