"""Several steps of a stencil as one operator, where each is a formula of neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.loops.loop_runs import Advance, time_node
from dask_tapestry.arrays.loops.traced_functions import StateField, as_value
from dask_tapestry.operators.windows.stencil_steps import stencil_after, suitable_steps
from dask_tapestry.rules.stencil_formulas import StencilFormula
from dask_tapestry.teg import Node, Source


def fused_steps(found: StencilFormula, fields: Sequence[StateField]) -> tuple[Advance, int]:
    """How to compute several steps of neighbours, and how many are computed together."""
    program = found.program
    beside = [_persisted(node) for node in found.beside]

    def advance(nodes: Sequence[Node], number: int, count: int) -> list[Node]:
        made = stencil_after(time_node(number), [*nodes, *beside], count, program)
        return [as_value(node, field) for node, field in zip(made, fields, strict=True)]

    block = tuple([max(cuts.lengths()) for cuts in fields[0].cuts])
    return advance, suitable_steps(block, program)


def _persisted(node: Node) -> Node:
    """What every step reads: as it is where it is data, else computed once."""
    return node if isinstance(node.operator, Source) else Array(node).persist().node
