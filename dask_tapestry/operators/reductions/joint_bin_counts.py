"""JointBinCounts: several counts by bin in one pass over the cells that they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from dask_tapestry.cells import Tree
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.reductions.bincount import BinCount
from dask_tapestry.operators.reductions.joint_reductions import JointReductions, field_name
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.operators.reductions.tree_reduction import TreeReduction
from dask_tapestry.teg import BlockOperator, IndexDim, Region, Signature, TensorType
from dask_tapestry.teg.operator import Restriction, Types, by_signature, signature_of
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class JointBinCounts(TreeReduction):
    """Structured cells whose field ``f<i>`` is count i, of the inputs that it reads.

    All have one tree, and tables as long as the longest: others end in zeros.

    Attributes
    ----------
    reads
        The numbers of the inputs of each count.

    Source: Tapestry whitepaper, "Dimension Reduction Operations".
    """

    name = "jointbincounts"
    kernel = "tabulates"
    parts: tuple[BinCount, ...]
    reads: tuple[tuple[int, ...], ...]

    @property
    def axes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The axes of cells, all of which are folded."""
        return self.parts[0].axes

    @property
    def tree(self) -> Tree:  # type: ignore[override]
        """The canonical tree of all."""
        return self.parts[0].tree

    @property
    def target(self) -> int | None:  # type: ignore[override]
        """Level of the tables that it yields."""
        return self.parts[0].target

    @property
    def count(self) -> int:
        """Bins of the longest table."""
        return max([part.count for part in self.parts])

    def part(self, source: int | None, target: int | None) -> BlockOperator:
        if source is None:
            return replace(self, parts=tuple([replace(p, target=target) for p in self.parts]))
        merges = [part.part(source, target) for part in self.parts]
        return JointReductions(tuple([merge for merge in merges if isinstance(merge, Reduce)]))

    def infer(self, *inputs: TensorType) -> TensorType:
        shape = replace(self.parts[0], count=self.count).infer(*inputs).shape
        fields = [(field_name(n), part.state) for n, part in enumerate(self.parts)]
        return TensorType(shape, np.dtype(fields))

    def _types(self, inputs: Types, number: int) -> Types:
        """What one of the counts reads."""
        return tuple([inputs[at] for at in self.reads[number]])

    def signature(self, *inputs: TensorType) -> Signature:
        """That of the counts: of one more dimension for bins, which no input has."""
        signatures = [
            signature_of(part, self._types(inputs, number))
            for number, part in enumerate(self.parts)
        ]
        known = {
            at: box
            for own, reads in zip(signatures, self.reads, strict=True)
            for at, box in zip(reads, own.inputs, strict=True)
        }
        first = signatures[0]
        index = (*first.index[:-1], IndexDim("bin", self.count))
        return Signature(index, tuple([known[at] for at in range(len(inputs))]), first.outputs)

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return _demand(self, inputs, box)

    def restrict(self, inputs: Types, region: Region) -> Restriction | None:
        """None: counting some of the bins reads as much as counting all."""
        return None

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        options = []
        for number, part in enumerate(self.parts):
            own = tuple([boxes[at] for at in self.reads[number]])
            options.append(part.arguments(self._types(inputs, number), _bins_of(part, box), own))
        return {"parts": tuple(options), "reads": self.reads}

    def flops(self, inputs: Types, box: ZRange) -> int:
        each = enumerate(self.parts)
        return sum([part.flops(self._types(inputs, number), box) for number, part in each])

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        """The table of a count before it is a field."""
        return box.size * max([part.state.itemsize for part in self.parts])

    def text(self) -> str:
        return "; ".join([part.text() for part in self.parts])

    def reference(self, *inputs: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        fields = [(field_name(n), part.state) for n, part in enumerate(self.parts)]
        tables = np.zeros(self.count, fields)
        for number, part in enumerate(self.parts):
            own = part.reference(*[inputs[at] for at in self.reads[number]])
            tables[field_name(number)][: part.count] = own
        return tables


def _bins_of(part: BinCount, box: ZRange) -> ZRange:
    """The part of a box of tables that the table of one count has."""
    low, high = (min(part.count, n) for n in (box.lo[-1], box.hi[-1]))
    return box.replace(box.ndim - 1, low, high)


@lru_cache(maxsize=4096)
def _demand(operator: JointBinCounts, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
    """What a box is made of, remembered: boxes, operations and memory all ask for it."""
    wanted = signature_of(operator, inputs).demand(box)
    return tuple([x.clip(part) for x, part in zip(inputs, wanted, strict=True)])
