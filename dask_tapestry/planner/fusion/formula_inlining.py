"""Formula inlining: several cell expressions of a step become one.

An expression whose value one other expression alone reads is written into that one, unless the
formula would become too long.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from dask_tapestry.cells import CellBuilder
from dask_tapestry.planner.tuning import LONGEST_FORMULA
from dask_tapestry.teg import Node, Operator


def formula_leads(members: Sequence[Node], last: Node) -> dict[Node, Node]:
    """For each member, inputs first, the node into whose formula it is written, or itself."""
    readers: dict[Node, list[Node]] = defaultdict(list)
    for member in members:
        for x in member.inputs:
            readers[x].append(member)
    leads: dict[Node, Node] = {}
    sizes: dict[Node, int] = defaultdict(int)
    fusing: set[Node] = set()  # nodes that read through formulas
    for member in reversed(members):
        lead = member
        formulas = member.operator.formulas(member.input_types)
        length = sum(len(formula.steps) for formula in formulas)
        sizes[member] += length
        if member.operator.is_formula:
            into = {leads[r] if leads[r] in fusing else None for r in readers[member]}
            only = into.pop() if len(into) == 1 and member is not last else None
            if only is not None and sizes[only] + length <= LONGEST_FORMULA:
                lead = only
                sizes[lead] += length
        if formulas:
            fusing.add(lead)
        leads[member] = lead
    return {member: leads[member] for member in members}


def inlined(group: Sequence[Node]) -> tuple[Operator, tuple[Node, ...]]:
    """The last operator of a group with the formulas before it written into it; its inputs."""
    inside = set(group)
    reads = tuple(dict.fromkeys(x for m in group for x in m.inputs if x not in inside))
    builder = CellBuilder([x.type.dtype for x in reads])
    value = {x: i for i, x in enumerate(reads)}
    *before, last = group
    for member in before:
        (formula,) = member.operator.formulas(member.input_types)
        value[member] = builder.inline(formula, [value[x] for x in member.inputs])
    inputs = [value[x] for x in last.inputs]
    results = [builder.inline(f, inputs) for f in last.operator.formulas(last.input_types)]
    return last.operator.with_formulas(tuple(builder.finish(r) for r in results)), reads
