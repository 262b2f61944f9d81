"""Formula inlining: several cell expressions of a step become one.

An expression whose value one other expression alone reads is written into that one, unless the
formula would become too long, or read too many values at once that the step itself reads or makes:
files that are added are read and added a few at a time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence

from dask_tapestry.cells import CellBuilder, CellExpression
from dask_tapestry.planner.tuning import LARGE_SHARE, LONGEST_FORMULA, MADE_AT_ONCE
from dask_tapestry.teg import Node, Operator


def formula_leads(
    members: Sequence[Node], last: Node, parts: Container[Node] = ()
) -> dict[Node, Node]:
    """For each member, inputs first, the node into whose formula it is written, or itself.

    Parameters
    ----------
    parts
        Members that are parts of a source, which is read for each of them.
    """
    readers: dict[Node, list[Node]] = defaultdict(list)
    for member in members:
        for x in member.inputs:
            readers[x].append(member)
    leads: dict[Node, Node] = {}
    sizes: dict[Node, int] = defaultdict(int)
    fusing: set[Node] = set()  # nodes that read through formulas
    totals = _totals(members, parts)
    for member in reversed(members):
        lead = member
        formulas = member.operator.formulas(member.input_types)
        length = sum(len(formula.steps) for formula in formulas)
        sizes[member] += length
        if member.operator.is_formula:
            into = {leads[r] if leads[r] in fusing else None for r in readers[member]}
            only = into.pop() if len(into) == 1 and member not in (last, *totals) else None
            if only is not None and sizes[only] + length <= LONGEST_FORMULA:
                lead = only
                sizes[lead] += length
        if formulas:
            fusing.add(lead)
        leads[member] = lead
    return {member: leads[member] for member in members}


def _totals(members: Sequence[Node], parts: Container[Node]) -> set[Node]:
    """Formulas that stay apart, so that none reads many values that are made beside it.

    Of the inputs of one that would, those go that read most: the total so far, not what is added.
    """
    inside, totals = set(members), set[Node]()
    made_apart = [m for m in members if m in parts or _is_made(m)]
    if len(made_apart) <= MADE_AT_ONCE:
        return totals
    made: dict[Node, frozenset[Node]] = {}  # what is in memory for a node to be computed
    for member in members:
        each = {x: made.get(x, frozenset()) for x in dict.fromkeys(member.inputs)}
        if member.operator.is_formula:
            formulas = [x for x in each if x in inside and x.operator.is_formula]
            for x in sorted(formulas, key=lambda x: -len(each[x])):
                if len(_large(member, each)) <= MADE_AT_ONCE:
                    break
                each[x] = made[x] = frozenset((x,))
                totals.add(x)
        elif member in parts or _is_made(member):
            each = {member: frozenset((member,))}
        made[member] = _large(member, each)
    return totals


def _is_made(member: Node) -> bool:
    return member.operator.copies and not member.operator.is_formula


def _large(member: Node, each: Mapping[Node, frozenset[Node]]) -> frozenset[Node]:
    """What inputs are made of that is not far smaller than what reads them."""
    least = LARGE_SHARE * member.type.nbytes
    return frozenset(x for values in each.values() for x in values if x.type.nbytes >= least)


def inlined(group: Sequence[Node]) -> tuple[Operator, tuple[Node, ...]]:
    """The last operator of a group with the formulas before it written into it; its inputs."""
    inside = set(group)
    *before, last = group
    formulas = last.operator.formulas(last.input_types)
    each = last.operator.formulas_apart or (tuple(range(len(formulas))),)
    reads = [_read_outside(group, inside, last, [formulas[n] for n in some]) for some in each]
    builder = CellBuilder([x.type.dtype for own in reads for x in own])
    results: dict[int, int] = {}
    start = 0
    for some, own in zip(each, reads, strict=True):
        value = {x: i for i, x in enumerate(own, start=start)}
        start += len(own)
        for member in before:
            if all(x in value for x in member.inputs):
                (formula,) = member.operator.formulas(member.input_types)
                value[member] = builder.inline(formula, [value[x] for x in member.inputs])
        inputs = [value.get(x, 0) for x in last.inputs]
        results |= {n: builder.inline(formulas[n], inputs) for n in some}
    finished = tuple([builder.finish(results[n]) for n in range(len(formulas))])
    return last.operator.with_formulas(finished), tuple([x for own in reads for x in own])


def _read_outside(
    group: Sequence[Node], inside: set[Node], last: Node, formulas: Sequence[CellExpression]
) -> tuple[Node, ...]:
    """What formulas of the last of a group read that is outside of it, through those before."""
    wanted = {last.inputs[n] for formula in formulas for n in formula.used}
    for member in reversed(group[:-1]):
        wanted |= set(member.inputs) if member in wanted else set()
    used = [x for m in group[:-1] if m in wanted for x in m.inputs]
    direct = [x for x in last.inputs if x in wanted]
    return tuple(dict.fromkeys(x for x in (*used, *direct) if x not in inside))
