"""JointGroupFolds: several folds by the same labels in one pass over the cells that they share.

As the sums of points by the cluster that each is nearest to, and how many those are: where labels
are computed of the cells, each fold alone would compute them again, or read the cells again.

Folds of the same axes have tables of one shape, whose states are fields. One that keeps no axis has
a smaller table, which is repeated along the kept axes of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.reductions.added_places import at_places
from dask_tapestry.operators.reductions.group_fold import GroupFold, GroupMerge
from dask_tapestry.operators.reductions.joint_reductions import JointReductions, field_name
from dask_tapestry.operators.reductions.tree_reduction import TreeReduction
from dask_tapestry.teg import BlockOperator, Region, Signature, Split, TensorType, Turns
from dask_tapestry.teg.operator import Restriction, Types, by_signature, signature_of
from dask_tapestry.zspace import IndexProjection, ZRange


@dataclass(frozen=True)
class JointGroupMerge(JointReductions):
    """Tables of several folds by group, folded further; groups may have no cells."""

    name = "jointgroupmerge"
    kernel = "groupmerges"

    def part(self, source: int | None, target: int | None) -> JointGroupMerge:
        return JointGroupMerge(tuple([p.part(source, target) for p in self.parts]))


@dataclass(frozen=True)
class JointGroupFolds(TreeReduction):
    """Structured cells whose field ``f<i>`` is fold i, of input i; the last input are the codes.

    The first fold has the kept axes of the value. Each other one has the same, or none. Nodes of
    all lie in the same places.

    Source: Tapestry whitepaper, "Dimension Reduction Operations".
    """

    name = "jointgroupfolds"
    kernel = "groupfolds"
    parts: tuple[GroupFold, ...]

    @property
    def called(self) -> str:
        return "-".join(dict.fromkeys(part.monoid for part in self.parts))

    @property
    def axes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The folded axes of the first input."""
        return self.parts[0].axes

    @property
    def tree(self) -> Tree:  # type: ignore[override]
        """The canonical tree of the first fold."""
        return self.parts[0].tree

    @property
    def target(self) -> int | None:  # type: ignore[override]
        """Level of the nodes that it yields."""
        return self.parts[0].target

    def part(self, source: int | None, target: int | None) -> BlockOperator:
        if source is None:
            return JointGroupFolds(tuple([replace(part, target=target) for part in self.parts]))
        merges = []
        for part in self.parts:
            how = (part.monoid, self.axes, part.tree, part.dtype, part.state)
            merges.append(GroupMerge(*how, part.ddof, source, target))
        return JointGroupMerge(tuple(merges))

    def turns(self, inputs: Types) -> Turns | None:
        """Tables of one leaf take cell after cell along the first folded axis, if all folds do."""
        first = self.parts[0]
        alike = all(x.ndim == inputs[0].ndim for x in inputs[:-1])
        if not alike or not all(part.grows for part in self.parts):
            return super().turns(inputs)
        return Turns((1,), lambda _: Split(AddedGroupFolds(self.parts), None, first.cells_of_leaf))

    def infer(self, *inputs: TensorType) -> TensorType:
        types = [p.infer(x, inputs[-1]) for p, x in zip(self.parts, inputs[:-1], strict=True)]
        fields = [(field_name(number), type_.dtype) for number, type_ in enumerate(types)]
        return TensorType(types[0].shape, np.dtype(fields))

    def signature(self, *inputs: TensorType) -> Signature:
        """That of the first fold; of those that keep no axis, what it reads along folded axes."""
        first, codes = inputs[0], inputs[-1]
        own = signature_of(self.parts[0], (first, codes))
        cells, labels = own.inputs
        reads = [cells if x.ndim == first.ndim else _of(cells, self.axes) for x in inputs[:-1]]
        return Signature(own.index, (*reads, labels), own.outputs)

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return _demand(self, inputs, box)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """None: folding some of the groups reads as much as folding all."""
        return None

    def _own(self, number: int, inputs: Types, box: ZRange) -> tuple[GroupFold, Types, ZRange]:
        """One of the folds, what it takes, and the part of its value that a box has of it."""
        part, types = self.parts[number], (inputs[number], inputs[-1])
        if types[0].ndim == inputs[0].ndim:
            return part, types, box
        folded = () if self.target is None else self.axes
        kept = (*folded, box.ndim - 1)
        return part, types, ZRange([box.lo[a] for a in kept], [box.hi[a] for a in kept])

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        options = []
        for number in range(len(self.parts)):
            part, types, own = self._own(number, inputs, box)
            options.append(part.arguments(types, own, (boxes[number], boxes[-1])))
        return {"parts": tuple(options)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        each = [self._own(number, inputs, box) for number in range(len(self.parts))]
        return sum([part.flops(types, own) for part, types, own in each])

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """The tables of a fold while they are merged, and before those that are ready."""
        each = [self._own(number, inputs, box) for number in range(len(self.parts))]
        return sum([part.scratch_bytes(types, own) for part, types, own in each])

    def text(self) -> str:
        return "; ".join([part.text() for part in self.parts])


@dataclass(frozen=True)
class AddedGroupFolds(JointGroupFolds):
    """Adds the cells of some places along the first folded axis to the tables of all folds.

    Its output, which is never in memory, has tables for each of these places.
    """

    name = "addedgroupfolds"
    kernel = "add_group_folds"
    outermost = -1  # the groups: a place is of one

    @property
    def adds_to(self) -> Any:
        """The states of no cells."""
        return tuple([part.identity for part in self.parts])

    def turns(self, inputs: Types) -> Turns | None:
        return None

    def infer(self, *inputs: TensorType) -> TensorType:
        tables = super().infer(*inputs)
        return TensorType((inputs[0].shape[self.axes[0]], *tables.shape), tables.dtype)

    def signature(self, *inputs: TensorType) -> Signature:
        """That of the folds, of one place along the first axis."""
        x, labelled = inputs[0], self.parts[0].labelled
        return at_places(super().signature(*inputs), x, self.axes[0], labelled)

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return super().arguments(inputs, ZRange(box.lo[1:], box.hi[1:]), boxes)

    def flops(self, inputs: Types, box: ZRange) -> int:
        reads = self.demand(inputs, box)[:-1]
        return sum([p.cell_flops * read.size for p, read in zip(self.parts, reads, strict=True)])

    def block_bytes(self, type_: TensorType, box: ZRange) -> int:
        """None: it adds to a block that is there."""
        return 0

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """None: tables are not merged."""
        return 0


def _of(projection: IndexProjection, rows: tuple[int, ...]) -> IndexProjection:
    """What a projection selects along some dimensions of its tensor."""
    matrix, offset = projection.matrix, projection.offset
    return IndexProjection(
        tuple([matrix[row] for row in rows]),
        tuple([offset[row] for row in rows]),
        tuple([projection.shape[row] for row in rows]),
        in_ndim=projection.in_ndim,
    )


@lru_cache(maxsize=4096)
def _demand(operator: JointGroupFolds, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
    """What a box is made of, remembered: boxes, operations and memory all ask for it."""
    wanted = signature_of(operator, inputs).demand(box)
    return tuple([x.clip(part) for x, part in zip(inputs, wanted, strict=True)])
