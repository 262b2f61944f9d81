"""SelectedFolds: one fold of many selections of cells along an axis, as of each day of the year.

It is a reduction whose value has an axis of selections. Each is folded as a reduction of it alone
is, in the same tree, so that it has the same bits; and the graph does not grow with them.

Source: Tapestry whitepaper, "Dimension Reduction Operations".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from dask_tapestry.cells import CellExpression, Selected
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.reductions.joint_reductions import JointReductions
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.reductions.tree_reduction import ReductionOfFold
from dask_tapestry.teg import IndexDim, Signature, TensorType
from dask_tapestry.teg.operator import Types
from dask_tapestry.teg.regularity import ANYWHERE, Regularity
from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True)
class SelectedFolds(ReductionOfFold):
    """Cell (kept..., s) is the fold of the cells that selection s chooses.

    Attributes
    ----------
    fold
        The fold of all cells.
    selections
        Those along one of the folded axes, each of which has cells.
    """

    name = "selectedfolds"
    kernel = "selectedfolds"
    any_cells = True
    fold: Reduce | JointReductions
    selections: tuple[Selected, ...]

    @cached_property
    def _hash(self) -> int:
        return hash((self.fold, self.selections))  # once: hundreds of selections are hashed

    def __hash__(self) -> int:
        return self._hash

    @property
    def called(self) -> str:
        return self.fold.called

    def part(self, source: int | None, target: int | None) -> SelectedFolds:
        return replace(self, fold=self.fold.part(source, target))

    @cached_property
    def folds(self) -> tuple[Reduce | JointReductions, ...]:
        """The fold of each selection."""
        return tuple([selecting(self.fold, chosen) for chosen in self.selections])

    @cached_property
    def _reader(self) -> Reduce | JointReductions:
        """The fold of all that is selected: what it reads, they read together."""
        every = _union(self.selections)
        return self.fold if every.cells == every.extent else selecting(self.fold, every)

    def _types(self, inputs: Types) -> Types:
        """What the fold takes: nodes of one selection."""
        if self.source is None:
            return inputs
        (x,) = inputs
        return (TensorType(x.shape[:-1], x.dtype, x.dims and x.dims[:-1]),)

    def infer(self, *inputs: TensorType) -> TensorType:
        shape, dtype, dims = self.fold.infer(*self._types(inputs))
        return TensorType((*shape, len(self.selections)), dtype, dims and (*dims, None))

    def signature(self, *inputs: TensorType) -> Signature:
        """That of the fold; selections are parallel."""
        own, nodes = self.fold.signature(*self._types(inputs)), self.source is not None
        return Signature(
            (*own.index, IndexDim("selection", len(self.selections))),
            tuple([_with_dim(projection, nodes) for projection in own.inputs]),
            tuple([_with_dim(projection, True) for projection in own.outputs]),
        )

    def regularity(self, inputs: Types) -> Regularity | None:
        """That of the fold of all that is selected."""
        rules = self._reader.regularity(self._types(inputs))
        return None if rules is None else (*rules, ANYWHERE)

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return _demand(self, inputs, box)

    def formulas(self, inputs: Types) -> tuple[CellExpression, ...]:
        return self.fold.formulas(inputs) if self.source is None else ()

    def with_formulas(self, formulas: tuple[CellExpression, ...]) -> SelectedFolds:
        return replace(self, fold=self.fold.with_formulas(formulas))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        types, own = self._types(inputs), ZRange(box.lo[:-1], box.hi[:-1])
        read = boxes if self.source is None else (ZRange(boxes[0].lo[:-1], boxes[0].hi[:-1]),)
        first = self.folds[0].arguments(types, own, read)
        trees = tuple([self.folds[s].tree for s in range(box.lo[-1], box.hi[-1])])
        return {"trees": trees, "parts": first.get("parts", (first,)), "joint": "parts" in first}

    def flops(self, inputs: Types, box: ZRange) -> int:
        """Those of the share of the cells that is selected."""
        every = self.fold.flops(self._types(inputs), ZRange(box.lo[:-1], box.hi[:-1]))
        if self.source is not None:
            return every * (box.hi[-1] - box.lo[-1])
        cells = sum([one.cells for one in self.selections[box.lo[-1] : box.hi[-1]]])
        return every * cells // self.selections[0].extent

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """That of one selection after the other."""
        return self.folds[0].scratch_bytes(self._types(inputs), ZRange(box.lo[:-1], box.hi[:-1]))

    def text(self) -> str:
        return f"{self.fold.text()}, {len(self.selections)} selections"

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """NumPy's value of each selection by itself."""
        return np.stack([one.reference(*inputs) for one in self.folds], -1)


def selecting(fold: Reduce | JointReductions, chosen: Selected | None) -> Reduce | JointReductions:
    """The same fold of the cells that are chosen; None for all."""
    if isinstance(fold, JointReductions):
        parts = [replace(one, tree=replace(one.tree, selected=chosen)) for one in fold.parts]
        return JointReductions(tuple(parts))
    return replace(fold, tree=replace(fold.tree, selected=chosen))


def _union(selections: tuple[Selected, ...]) -> Selected:
    """All that one of them selects."""
    bits = np.frombuffer(selections[0].bits, np.uint8).copy()
    for one in selections[1:]:
        bits |= np.frombuffer(one.bits, np.uint8)
    return replace(selections[0], bits=bits.tobytes())


def _with_dim(projection: IndexProjection, moves: bool) -> IndexProjection:
    """The projection from one index dimension more, the last, with which a tensor's last moves."""
    rows = [(*row, 0) for row in projection.matrix]
    offset, shape, stride = projection.offset, projection.shape, projection.stride
    count = projection.in_ndim + 1
    if moves:
        rows.append((*(0,) * (count - 1), 1))
        offset, shape, stride = (*offset, 0), (*shape, 1), (*stride, 1)
    return IndexProjection(rows, offset, shape, stride, in_ndim=count)


@lru_cache(maxsize=4096)
def _demand(operator: SelectedFolds, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
    """What a box is made of, remembered: boxes, operations and memory all ask for it."""
    types, own = operator._types(inputs), ZRange(box.lo[:-1], box.hi[:-1])
    reads = operator._reader.demand(types, own)
    if operator.source is None:
        return reads
    return tuple([ZRange((*x.lo, box.lo[-1]), (*x.hi, box.hi[-1])) for x in reads])
