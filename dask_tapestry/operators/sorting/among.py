"""Among: what a table in any order tells of cells, which blocks sort whole, or exchange for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dask_tapestry.cells import Span
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.forms import offered, stand_in
from dask_tapestry.operators.lanes import PLACES, sort_bytes, sort_flops
from dask_tapestry.operators.sorting.joint_runs import (
    Answer,
    joint_run_counts,
    looking_up_bytes,
    told_by_exchange,
)
from dask_tapestry.operators.sorting.search import IsIn, SearchSorted, TableOperator
from dask_tapestry.operators.tuning import LOOKED_UP_FLOPS
from dask_tapestry.teg import Form, Tensor, TensorType, apply
from dask_tapestry.teg.operator import Types
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class Among(TableOperator):
    """What a vector in any order tells of cells, as if it were sorted.

    The place before which a cell goes, left or right of equal ones: intp; or whether it is there.
    """

    name = "among"
    kernel = "among"
    any_cells = True
    answer: Answer

    def infer(self, *inputs: TensorType) -> TensorType:
        told = np.dtype(bool) if self.answer == "within" else PLACES
        return inputs[0]._replace(dtype=told)

    def value_span(self, inputs: Types, spans: Sequence[Span | None]) -> Span | None:
        return None if self.answer == "within" else Span(0, inputs[1].size)

    def forms(self, inputs: Types) -> tuple[Form, ...]:
        return offered(Form("exchange", joint_run_counts(*inputs), by_exchange))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"answer": self.answer}

    def flops(self, inputs: Types, box: ZRange) -> int:
        """The table is sorted, and so are the cells."""
        table = inputs[1].size
        sorted_flops = sort_flops(table, table) + sort_flops(box.size, box.size)
        return sorted_flops + LOOKED_UP_FLOPS * box.size

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """The table in order, and what sorting takes; cells in order, and what is told of them."""
        x, table = inputs
        held = table.nbytes + sort_bytes(table.size, table.size, table.dtype)
        told = box.size * (x.dtype.itemsize + 2 * PLACES.itemsize)
        return held + told + looking_up_bytes(box.size)

    def text(self) -> str:
        return self.answer

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        x, table = inputs
        if self.answer == "within":
            return np.isin(x, table)
        return np.asarray(np.searchsorted(np.sort(table), x, self.answer))


@stand_in
def by_exchange(node: Tensor, runs: int) -> Tensor:
    """``among(x, table) -> putback(lookedup(exchange(x, table)), x)``."""
    whole, (x, table) = node.operator, node.inputs
    assert isinstance(whole, Among)
    return told_by_exchange(x, table, whole.answer, runs)


def among_unsorted(node: Tensor, table: Tensor) -> Tensor | None:
    """What looks cells up in a sorted table, of the table as it was; None where that is no better.

    It is not where cells have no keys.
    """
    whole, x = node.operator, node.inputs[0]
    if not joint_run_counts(x.type, table.type):
        return None
    if isinstance(whole, SearchSorted):
        return apply(Among(whole.side), x, table)
    assert isinstance(whole, IsIn)
    found = apply(Among("within"), x, table)
    return elementwise("logical_not", found) if whole.invert else found
