"""Masked gather: rows of a table whose owners look at all places, and answer for those they have.

Where owners are few, sending all places to each takes less than routing every place to its owner
first, as `bucket_shuffle` does: there is one exchange less, and no place is sorted before rows are
there. The places then travel once for each owner.

============  =======================================================  ========================
operator      what it yields                                           blocks
============  =======================================================  ========================
`Answered`    buckets (runs, owners) of rows                           by owner
`Returned`    rows (runs * length, ...) in the order of places         by run
============  =======================================================  ========================
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.indexing.bucket_shuffle import (
    ALONG,
    Returned,
    ShuffleLayout,
    ShuffleOperator,
    divided,
    row_flops,
    rows_of,
    whole,
)
from dask_tapestry.operators.tuning import BUCKET_FLOPS, MASK_FLOPS, OWNER_SKEW
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Signature, Tensor, TensorType, apply
from dask_tapestry.teg.buckets import buckets_type
from dask_tapestry.teg.operator import Types, signature_of
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Answered(ShuffleOperator):
    """Buckets (runs, owners) of the rows that owners have, of all places."""

    name = "answered"
    kernel = "answer"
    fills = False
    reads_asked = True  # as of `Served`
    division: ShuffleLayout

    def infer(self, *inputs: TensorType) -> TensorType:
        runs, length, owners, _ = self.division
        table = inputs[1]
        cells = length * table.size // max(1, table.shape[0])
        return buckets_type((runs, owners), table.dtype, cells / owners, OWNER_SKEW)

    def signature(self, *inputs: TensorType) -> Signature:
        runs, _, owners, side = self.division
        places, table = inputs
        return self.line(
            owners, [whole(places.shape[0])], rows_of(side, table), [whole(runs), ALONG]
        )

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        runs, length, _, side = self.division
        told = {"runs": runs, "length": length, "side": side, "keep": self.keep(inputs, box)}
        return told | {"first": signature_of(self, inputs).index_range(box).lo[0]}

    def asked_share(self, inputs: Types) -> float:
        """That of as many owners as there are places."""
        runs, length, owners, _ = self.division
        return min(1.0, runs * length / owners)

    def flops(self, inputs: Types, box: ZRange) -> int:
        """Masks of all places for each owner, and the share of rows that owners have."""
        runs, length, owners, _ = self.division
        row = row_flops(inputs[1].shape[1:], inputs[1].dtype)
        each = BUCKET_FLOPS + MASK_FLOPS * length + row * length // owners
        return each * runs * self._count(inputs, box)


def gathered(table: Tensor, places: Tensor, owners: int) -> Tensor:
    """Rows of `table` at `places`, a vector of numbers of rows."""
    rows, count = table.type.shape[0], places.type.shape[0]
    division = divided(rows, count, owners)
    answers = apply(Answered(division), places, table)
    made = apply(Returned(division, table.type.shape[1:]), answers, places)
    return basic_slice(made, (slice(0, count),))
