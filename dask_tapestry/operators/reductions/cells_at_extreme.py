"""CellsAtExtreme: the first extreme along an axis, and what lies at its place in other tensors.

A mosaic of the clearest image of each pixel takes bands where a score is greatest. One pass finds
the place and carries the cells: each node of the canonical tree has those of its own extreme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.reductions.tree_reduction import ReductionOfFold
from dask_tapestry.operators.tuning import TAKING_OPERATIONS
from dask_tapestry.teg import Signature, TensorType
from dask_tapestry.teg.contract.access import Demanding
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.regularity import Regularity
from dask_tapestry.zspace import ZRange

PLACE = "at"  # the field of the place, or of a node's value and place


@dataclass(frozen=True)
class CellsAtExtreme(ReductionOfFold):
    """Structured cells: the place that `fold` finds, and as ``f<i>`` the i-th of `cells` there.

    The inputs have one shape. `fold` takes the first one, or its own formula of them, along one
    axis; `cells` are formulas of them too, of the dtypes `dtypes`.

    Source: Tapestry whitepaper, "Dimension Reduction Operations".
    """

    name = "cellsatextreme"
    kernel = "cellsatextreme"
    any_cells = True
    fold: Reduce
    dtypes: tuple[np.dtype[Any], ...]
    cells: tuple[CellExpression, ...]

    @property
    def called(self) -> str:
        return self.fold.monoid

    def part(self, source: int | None, target: int | None) -> CellsAtExtreme:
        cells = self.cells if source is None else ()
        return CellsAtExtreme(self.fold.part(source, target), self.dtypes, cells)

    def infer(self, *inputs: TensorType) -> TensorType:
        nodes = self.fold.infer(*inputs)
        fields = [(field_name(number), dtype) for number, dtype in enumerate(self.dtypes)]
        return nodes._replace(dtype=np.dtype([(PLACE, nodes.dtype), *fields]))

    def signature(self, *inputs: TensorType) -> Signature:
        """That of the fold."""
        return self.fold.signature(*inputs)

    def regularity(self, inputs: Types) -> Regularity | None:
        return self.fold.regularity(inputs)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return self.fold.demand(inputs, box)

    def demanding(self, inputs: Types) -> Demanding:
        return self.fold.demanding(inputs)

    def formulas(self, inputs: Types) -> tuple[CellExpression, ...]:
        if self.source is not None:
            return ()
        dtypes = [x.dtype for x in inputs]
        first = self.fold.cells or _first(dtypes)
        return (first, *self.cells)

    def with_formulas(self, formulas: tuple[CellExpression, ...]) -> CellsAtExtreme:
        first, *cells = formulas
        return replace(self, fold=self.fold.with_formulas((first,)), cells=tuple(cells))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        formulas = self.formulas(inputs)
        reads, formula = _of_few(formulas[0]) if formulas else ((0,), None)
        fold = {**self.fold.arguments(inputs, box, boxes), "expression": formula}
        return {
            "score": (reads, fold),
            "carried": tuple([_of_few(formula) for formula in self.cells]),
            "count": len(self.dtypes),
        }

    def flops(self, inputs: Types, box: ZRange) -> int:
        taken = len(self.dtypes) * TAKING_OPERATIONS + sum(one.flops for one in self.cells)
        return self.fold.flops(inputs, box) + box.size * taken

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """What the fold takes, its nodes and places, and what is read to take cells."""
        beside = self.fold.infer(*inputs).dtype.itemsize + np.dtype(np.intp).itemsize
        reads = {i for formula in self.cells for i in _reads(formula)}
        taken = [inputs[i].dtype for i in reads] or [*self.dtypes]
        beside += sum(dtype.itemsize for dtype in (*self.dtypes, *taken))
        return self.fold.scratch_bytes(inputs, box) + box.size * beside

    def text(self) -> str:
        what = ", ".join(map(str, self.cells)) or f"{len(self.dtypes)} values"
        return f"{self.fold.text()}; {what} there"


def _first(dtypes: Sequence[np.dtype[Any]]) -> CellExpression:
    """The cells of the first of some inputs."""
    return CellBuilder(dtypes).finish(0)


def _reads(formula: CellExpression) -> tuple[int, ...]:
    """Numbers of the inputs that a formula reads, one at least."""
    if formula.chosen is not None:
        return (formula.chosen,)
    inputs = range(len(formula.parameters))
    return tuple(sorted({i for step in formula.steps for i in step.operands if i in inputs})) or (
        0,
    )


@lru_cache(maxsize=1024)
def _of_few(formula: CellExpression) -> tuple[tuple[int, ...], CellExpression | None]:
    """The inputs that a formula reads, and the formula of these; None where it is one of them."""
    reads = _reads(formula)
    return reads, None if formula.chosen is not None else formula.of_some(reads)


def field_name(number: int) -> str:
    """Name of the field that holds what is carried, by its number."""
    return f"f{number}"
