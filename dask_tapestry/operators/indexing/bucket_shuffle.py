"""Bucket shuffle: rows of a table that no task holds whole, asked for or updated by many places.

The table is in stretches, each of which has an *owner*; places are in *runs*. A run sends each
owner the places that belong to it; an owner sends back rows, or folds in the updates that come with
the places. So a place and a row travel once, and a task holds one stretch and one run.

============  =======================================================  ========================
operator      what it yields                                           blocks
============  =======================================================  ========================
`Routed`      buckets (runs, owners) of places                         by run
`Sent`        buckets (runs, owners) of updates                        by run
`Served`      buckets (runs, owners) of rows                           by owner
`Returned`    rows (runs * length, ...) in the order of places         by run
`FoldedRows`      rows (owners * side, ...) with updates folded in         by owner
============  =======================================================  ========================

An owner folds updates in the order of runs, and of places in them: as one task would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from dask_tapestry.cells import CellExpression
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.sorting.exchange import ExchangeOperator
from dask_tapestry.operators.tuning import (
    BUCKET_FLOPS,
    CACHE_LINE_BYTES,
    FEWEST_RUN_PLACES,
    LINE_FLOPS,
    MOST_OWNERS,
    OWNER_SKEW,
    PLACE_SORT_FLOPS,
    ROW_FLOPS,
    SHUFFLED_PLACE_BYTES,
)
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import IndexDim, Signature, Tensor, TensorType, apply
from dask_tapestry.teg.buckets import buckets_type, cells_of
from dask_tapestry.teg.operator import Types, by_signature, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange


class ShuffleLayout(NamedTuple):
    """How places and rows are divided.

    Attributes
    ----------
    runs, length
        Runs of places, and places of each; the last run may have fewer.
    owners, side
        Stretches of the table, and rows of each; the last stretch may have fewer.
    """

    runs: int
    length: int
    owners: int
    side: int


ALONG: Final = (1, 1)  # an axis that moves by one with the index dimension


def whole(n: int) -> tuple[int, int]:
    """An axis that every index point has whole."""
    return 0, n


class ShuffleOperator(ExchangeOperator):
    """What the steps of a shuffle share: one index dimension, of runs or of owners."""

    division: ShuffleLayout

    def line(self, extent: int, *tensors: Sequence[tuple[int, int]]) -> Signature:
        """Signature of one dimension, by the step and the width along each axis of each tensor."""
        made = []
        for axes in tensors:
            steps, widths = [[step] for step, _ in axes], [width for _, width in axes]
            made.append(IndexProjection(steps, (0,) * len(axes), widths, in_ndim=1))
        return Signature((IndexDim("i0", extent),), tuple(made[:-1]), (made[-1],))

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        wanted = signature_of(self, inputs).demand(box)
        return tuple(x.clip(part) for x, part in zip(inputs, wanted, strict=True))

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return SHUFFLED_PLACE_BYTES * self.division.length

    def text(self) -> str:
        runs, _, owners, _ = self.division
        return f"{runs} runs, {owners} owners"

    @property
    def run_flops(self) -> int:
        """The operations to sort the indices of a run by owner, and to make the owners' buckets."""
        return PLACE_SORT_FLOPS * self.division.length + BUCKET_FLOPS * self.division.owners

    def _count(self, inputs: Types, box: ZRange) -> int:
        """How many runs, or owners, a box is of."""
        return signature_of(self, inputs).index_range(box).shape[0]


@dataclass(frozen=True)
class Routed(ShuffleOperator):
    """Buckets (runs, owners) of places, each counted from its owner's first row."""

    name = "routed"
    kernel = "route"
    copies = False
    fills = False
    division: ShuffleLayout

    def infer(self, *inputs: TensorType) -> TensorType:
        runs, length, owners, _ = self.division
        return buckets_type((runs, owners), inputs[0].dtype, length / owners, OWNER_SKEW)

    def signature(self, *inputs: TensorType) -> Signature:
        runs, length, owners, _ = self.division
        return self.line(runs, [(length, length)], [ALONG, whole(owners)])

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        told = self.division._asdict() | {"count": self._count(inputs, box)}
        return {k: v for k, v in told.items() if k != "runs"} | {"keep": self.keep(inputs, box)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return self.run_flops * self._count(inputs, box)


@dataclass(frozen=True)
class Sent(Routed):
    """Buckets (runs, owners) of updates, rows whose places `Routed` sends in the same order."""

    name = "sent"
    kernel = "send"
    copies = True

    def infer(self, *inputs: TensorType) -> TensorType:
        runs, length, owners, _ = self.division
        cells = length * prod(inputs[1].shape[1:])
        return buckets_type((runs, owners), inputs[1].dtype, cells / owners, OWNER_SKEW)

    def signature(self, *inputs: TensorType) -> Signature:
        runs, length, owners, _ = self.division
        rows = [(length, length), *map(whole, inputs[1].shape[1:])]
        return self.line(runs, [(length, length)], rows, [ALONG, whole(owners)])


@dataclass(frozen=True)
class Served(ShuffleOperator):
    """Buckets (runs, owners) of the rows of a table that are asked for."""

    name = "served"
    kernel = "serve"
    fills = False
    reads_asked = True  # of few places most owners are asked for nothing
    division: ShuffleLayout

    def infer(self, *inputs: TensorType) -> TensorType:
        runs, length, owners, _ = self.division
        table = inputs[1]
        cells = length * prod(table.shape[1:])
        return buckets_type((runs, owners), table.dtype, cells / owners, OWNER_SKEW)

    def signature(self, *inputs: TensorType) -> Signature:
        runs, _, owners, side = self.division
        buckets = [whole(runs), ALONG]
        return self.line(owners, buckets, rows_of(side, inputs[1]), buckets)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"side": self.division.side, "keep": self.keep(inputs, box)}

    def asked_share(self, inputs: Types) -> float:
        """That of as many owners as there are places."""
        runs, length, owners, _ = self.division
        return min(1.0, runs * length / owners)

    def flops(self, inputs: Types, box: ZRange) -> int:
        """One operation for each requested row; an owner has a share of all of them."""
        runs, length, owners, _ = self.division
        row = row_flops(inputs[1].shape[1:], inputs[1].dtype)
        each = BUCKET_FLOPS + row * length // owners
        return each * runs * self._count(inputs, box)


@dataclass(frozen=True)
class Returned(ShuffleOperator):
    """Rows (runs * length, ...) in the order of the places that asked for them."""

    name = "returned"
    kernel = "giveback"
    division: ShuffleLayout
    row: tuple[int, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        runs, length, _, _ = self.division
        return TensorType((runs * length, *self.row), cells_of(inputs[0]))

    def signature(self, *inputs: TensorType) -> Signature:
        runs, length, owners, _ = self.division
        rows = [(length, length), *map(whole, self.row)]
        return self.line(runs, [ALONG, whole(owners)], [(length, length)], rows)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        _, length, owners, side = self.division
        return {
            "length": length,
            "owners": owners,
            "side": side,
            "row": self.row,
            "dtype": cells_of(inputs[0]),
            "keep": self.keep(inputs, box),
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        rows = row_flops(self.row, cells_of(inputs[0])) * self.division.length
        return (self.run_flops + rows) * self._count(inputs, box)


@dataclass(frozen=True)
class FoldedRows(ShuffleOperator):
    """Rows (owners * side, ...) of a table with the updates folded in that were sent."""

    name = "folded"
    kernel = "foldsent"
    division: ShuffleLayout
    expressions: tuple[CellExpression, ...]

    def infer(self, *inputs: TensorType) -> TensorType:
        table, (_, _, owners, side) = inputs[0], self.division
        return TensorType((owners * side, *table.shape[1:]), table.dtype)

    def signature(self, *inputs: TensorType) -> Signature:
        table, (runs, _, owners, side) = inputs[0], self.division
        buckets, rows = [whole(runs), ALONG], rows_of(side, table)
        return self.line(owners, rows, buckets, buckets, rows)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {
            "side": self.division.side,
            "expressions": self.expressions,
            "keep": self.keep(inputs, box),
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        """The expressions for each row that is sent, as a scatter's."""
        runs, length, owners, _ = self.division
        each = max(1, sum(e.flops for e in self.expressions))
        bucket = BUCKET_FLOPS + each * length // owners
        return bucket * runs * self._count(inputs, box)


def row_flops(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """Operations that moving a row of this shape takes."""
    return ROW_FLOPS + LINE_FLOPS * prod(shape) * dtype.itemsize // CACHE_LINE_BYTES


def rows_of(side: int, table: TensorType) -> list[tuple[int, int]]:
    """The axes of a table of which an owner has `side` rows."""
    return [(side, side), *map(whole, table.shape[1:])]


def gathered(table: Tensor, row_numbers: Tensor, owners: int) -> Tensor:
    """Rows of `table` at `row_numbers`, a vector of numbers of rows."""
    rows, count = table.type.shape[0], row_numbers.type.shape[0]
    division = divided(rows, count, owners)
    requests = apply(Routed(division), row_numbers)
    answers = apply(Served(division), requests, table)
    row = table.type.shape[1:]
    rows_of_runs = apply(Returned(division, row), answers, row_numbers)
    return basic_slice(rows_of_runs, (slice(0, count),))


def scattered(
    table: Tensor,
    row_numbers: Tensor,
    updates: Tensor,
    expressions: tuple[CellExpression, ...],
    owners: int,
) -> Tensor:
    """`table` with `updates` folded into the rows `row_numbers`; those below zero are left out."""
    rows, count = table.type.shape[0], row_numbers.type.shape[0]
    division = divided(rows, count, owners)
    requests = apply(Routed(division), row_numbers)
    routed = apply(Sent(division), row_numbers, updates)
    made = apply(FoldedRows(division, expressions), table, requests, routed)
    return basic_slice(made, (slice(0, rows),))


def divided(rows: int, places: int, owners: int) -> ShuffleLayout:
    """Stretches of a table of `rows` rows for about so many owners, and runs of places.

    Examples
    --------
    >>> divided(10, 10**6, 4)
    ShuffleLayout(runs=4, length=250000, owners=4, side=3)
    """
    side = -(-rows // owners)
    runs = max(1, min(owners, places // FEWEST_RUN_PLACES))
    return ShuffleLayout(runs, -(-places // runs), -(-rows // side), side)


def owner_counts(rows: int) -> tuple[int, ...]:
    """Numbers of owners in which to try to divide a table.

    Examples
    --------
    >>> owner_counts(1000)
    (4, 16, 64, 256)
    """
    most = min(MOST_OWNERS, rows)
    return tuple(4**i for i in range(1, (most.bit_length() + 1) // 2))
