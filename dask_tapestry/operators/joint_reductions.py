"""JointReductions: several reductions of the same cells in one pass over them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dask_tapestry.cells import CellExpression, Tree
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.reduce import Reduce
from dask_tapestry.operators.tree_reduction import TreeReduction
from dask_tapestry.teg import Signature, TensorType
from dask_tapestry.teg.operator import Types, by_signature
from dask_tapestry.zspace import ZRange


@dataclass(frozen=True)
class JointReductions(TreeReduction):
    """Structured cells whose field ``f<i>`` is reduction i, of its own formula of the inputs.

    All reductions fold the same axes of inputs of one shape, hence in the same tree.

    Source: Tapestry whitepaper, "Dimension Reduction Operations".
    """

    name = "jointreductions"
    kernel = "reductions"
    any_cells = True
    parts: tuple[Reduce, ...]

    @property
    def axes(self) -> tuple[int, ...]:  # type: ignore[override]
        """The folded axes."""
        return self.parts[0].axes

    @property
    def tree(self) -> Tree:  # type: ignore[override]
        """The canonical tree."""
        return self.parts[0].tree

    @property
    def source(self) -> int | None:  # type: ignore[override]
        """Level of the nodes that it takes."""
        return self.parts[0].source

    @property
    def target(self) -> int | None:  # type: ignore[override]
        """Level of the nodes that it yields."""
        return self.parts[0].target

    def part(self, source: int | None, target: int | None) -> JointReductions:
        return JointReductions(tuple(p.part(source, target) for p in self.parts))

    def infer(self, *inputs: TensorType) -> TensorType:
        types = [part.infer(*inputs) for part in self.parts]
        fields = [(field_name(number), type_.dtype) for number, type_ in enumerate(types)]
        return TensorType(types[0].shape, np.dtype(fields), types[0].dims)

    def signature(self, *inputs: TensorType) -> Signature:
        return self.parts[0].signature(*inputs)

    regularity = by_signature

    def demand(self, inputs: Types, box: ZRange) -> tuple[ZRange, ...]:
        return self.parts[0].demand(inputs, box)

    def formulas(self, inputs: Types) -> tuple[CellExpression, ...]:
        given = [part.formulas(inputs) for part in self.parts]
        return tuple(formula for formulas in given for formula in formulas)

    def with_formulas(self, formulas: tuple[CellExpression, ...]) -> JointReductions:
        parts = zip(self.parts, formulas, strict=True)
        return JointReductions(tuple(part.with_formulas((formula,)) for part, formula in parts))

    def arguments(self, inputs: Types, box: ZRange, boxes: tuple[ZRange, ...]) -> Mapping[str, Any]:
        return {"parts": tuple(part.arguments(inputs, box, boxes) for part in self.parts)}

    def flops(self, inputs: Types, box: ZRange) -> int:
        return sum(part.flops(inputs, box) for part in self.parts)

    def scratch_bytes(self, inputs: Types, box: ZRange) -> int:
        return sum(part.scratch_bytes(inputs, box) for part in self.parts)

    def text(self) -> str:
        return "; ".join(part.text() for part in self.parts)


def field_name(number: int) -> str:
    """Name of the field that holds reduction `number`."""
    return f"f{number}"
