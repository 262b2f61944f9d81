"""Exchange: cells that go from producers to consumers, in buckets whose sizes the cells decide.

Its value has a bucket for each run and each consumer. A run is split by a task of its own, which
makes its buckets for all consumers; a consumer reads one bucket of each run, cut out where the run
lies, so that on a cluster each cell travels once. In one process nothing is cut out or copied.

Where a run is split is known but for a window. The few cells of a window go to the consumers on
both sides of it. Each has those of all runs, so it finds the exact places among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.lanes import PLACES, sort_bytes, sort_flops
from dask_tapestry.teg import BlockOperator, IndexDim, Region, Signature, TensorType
from dask_tapestry.teg.buckets import buckets_type, cells_of
from dask_tapestry.teg.operator import Restriction, Types, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange

YES, NO = True, False  # an axis follows the dimension after the lanes, or is whole


class ExchangeOperator(BlockOperator):
    """What the steps of a sorting exchange share: lanes, then axes that are cut or whole."""

    def projected(
        self, extent: int, lanes: int, *tensors: tuple[Sequence[bool], TensorType]
    ) -> Signature:
        """Signature of lanes, then one more dimension, by the axes of inputs and of the output."""
        shape = (*tensors[-1][1].shape[:lanes], extent)
        index = tuple(IndexDim(f"i{dim}", n) for dim, n in enumerate(shape))
        made = [_projection(lanes, axes, type_) for axes, type_ in tensors]
        return Signature(index, tuple(made[:-1]), (made[-1],))

    def keep(self, inputs: Types, box: ZRange) -> tuple[slice, ...]:
        """Cells of what its index points write that a box is."""
        signature = signature_of(self, inputs)
        return box.slices(signature.written(signature.index_range(box)))

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """None: it is computed as a whole, because each output cell depends on all input cells."""
        return None


def of_runs(lanes: int, length: int) -> IndexProjection:
    """A tensor whose lanes follow theirs, and whose last axis has `length` cells for each step."""
    rows = [[int(dim == axis) for dim in range(lanes + 1)] for axis in range(lanes)]
    rows.append([0] * lanes + [length])
    return IndexProjection(rows, (0,) * len(rows), (*(1,) * lanes, length), in_ndim=lanes + 1)


def _projection(lanes: int, cut: Sequence[bool], type_: TensorType) -> IndexProjection:
    """A tensor whose lanes follow theirs, and whose other axes the last dimension, or are whole."""
    rows = [[int(dim == axis) for dim in range(lanes + 1)] for axis in range(lanes)]
    rows += [[0] * lanes + [int(moves)] for moves in cut]
    sides = [1 if moves else n for moves, n in zip(cut, type_.shape[lanes:], strict=True)]
    return IndexProjection(rows, (0,) * len(rows), (*(1,) * lanes, *sides), in_ndim=lanes + 1)


def windows_around(lanes: int, type_: TensorType) -> IndexProjection:
    """Windows (..., runs, splits, 2) of which each consumer has the two splits around it."""
    plain = _projection(lanes, (NO, YES, NO), type_)
    sides = (*plain.shape[:-2], 2, plain.shape[-1])
    return IndexProjection(plain.matrix, plain.offset, sides, in_ndim=lanes + 1)


@dataclass(frozen=True)
class Exchange(ExchangeOperator):
    """Buckets (..., runs, consumers): each run, split where its windows are.

    A task makes the buckets of a run for all consumers, each a part of the run. Windows are those
    of all splits, that before the first consumer and that behind the last one included. A split
    leaves no more than `open` cells of all runs together, which go to both sides of it. Before them
    buckets have `ahead` cells more, where a run has them, and `behind` after them.
    """

    name = "exchange"
    kernel = "splitruns"
    copies = False
    fills = False
    open: int = 0
    ahead: int = 0
    behind: int = 0

    def infer(self, *inputs: TensorType) -> TensorType:
        x, windows = inputs
        consumers, length = windows.shape[-2] - 1, x.shape[-1]
        more = 1 + 2 * self.open / length
        return buckets_type((*x.shape[:-1], consumers), x.dtype, length / consumers, more)

    def signature(self, *inputs: TensorType) -> Signature:
        (x, windows), made = inputs, self.infer(*inputs)
        tensors = ((YES, NO), x), ((YES, NO, NO), windows), ((YES, NO), made)
        return self.projected(x.shape[-2], x.ndim - 2, *tensors)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        told = {"ahead": self.ahead, "behind": self.behind}
        return told | {"keep": self.keep(inputs, box)}


@dataclass(frozen=True)
class Merged(ExchangeOperator):
    """The cells (..., cells) of all consumers, of sorted buckets: one of each run.

    They lie one after the other, `length` of each consumer. The second input has the windows of
    splits; of these, no more than `open` cells of all runs together are in a window.
    """

    name = "merged"
    kernel = "mergebuckets"
    length: int
    open: int = 0

    def infer(self, *inputs: TensorType) -> TensorType:
        buckets = inputs[0]
        cells = buckets.shape[-1] * self.length
        return TensorType((*buckets.shape[:-2], cells), cells_of(buckets))

    def signature(self, *inputs: TensorType) -> Signature:
        buckets, windows = inputs
        lanes, reads = buckets.ndim - 2, ((NO, YES), buckets)
        plain = self.projected(buckets.shape[-1], lanes, reads, reads)
        ends = windows_around(lanes, windows)
        made = (of_runs(lanes, self.length),)
        return replace(plain, inputs=(*plain.inputs, ends), outputs=made)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "length": self.length,
            "first": signature_of(self, inputs).index_range(box).lo[-1],
            "dtype": cells_of(inputs[0]),
            "keep": self.keep(inputs, box),
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        return sort_flops(box.size, inputs[0].shape[-2])

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """What sorting takes; and the cells in a window, their keys, order and runs."""
        dtype = cells_of(inputs[0])
        open_bytes = self.open * 2 * (dtype.itemsize + PLACES.itemsize)
        return max(sort_bytes(box.size, self.length, dtype), open_bytes)

    def text(self) -> str:
        return f"{self.length} cells each"
