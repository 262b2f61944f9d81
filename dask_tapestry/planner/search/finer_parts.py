"""Finer parts: a held value is computed in products that read it, in parts that fit a block then.

Sizes of parts are chosen before steps are put together. Parts of a product that stream through a
block are large, and what is computed for them in the same block takes all its cells: so the value
looks too large to be computed there, and what both read is read twice, as the table of a gradient.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Final

from dask_tapestry.planner.rewriting.rule_choices import form_of_part
from dask_tapestry.planner.search.alike import one_of_each
from dask_tapestry.planner.search.choices import Choices, FormChoice, State
from dask_tapestry.planner.search.evaluate import place
from dask_tapestry.planner.search.exchanges import owners_of
from dask_tapestry.planner.search.moves import fuse, optional
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.teg import Node

Owners = list[tuple[Node, int]]  # nodes without forms, and which parts of them
PARTS: Final = "parts"  # of a product, as its form is named


def in_finer_parts(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """Values are computed in the parts of the products that read them, made smaller.

    Those that are alike together, as of all steps of a descent, then the first of them.
    """
    owners = owners_of(space, state)
    nodes = [n for n in optional(state) if n.inputs and _are_parts(state, owners, n)]
    programs = [(n, state.placed[n].group.program, state.placed[n].held) for n in nodes]
    for node, alike in one_of_each(programs):
        for some in dict.fromkeys((frozenset(alike), frozenset([node]))):
            yield from _fused(space, state, owners, some)


def _are_parts(state: State, owners: Mapping[Node, Owners], node: Node) -> bool:
    """Whether all that reads a value are products in parts, whose size is their terms."""
    forms = state.choices.forms
    readers = state.readers[node]
    if any(reader not in owners for reader in readers):
        return False
    taken = [forms.get(owner) for reader in readers for owner, _ in owners[reader]]
    return all(own is not None and own[-1].name == PARTS for own in taken)


def _fused(
    space: PlanEvaluator,
    state: State,
    owners: Mapping[Node, Owners],
    nodes: Set[Node],
) -> Iterator[Choices]:
    """The choices in which values are not held, if the parts of their readers are made smaller."""
    choices = fuse(state, nodes)
    forms = dict(state.choices.forms)
    for reader in dict.fromkeys(r for node in nodes for r in state.readers[node]):
        times = _times_too_large(space, state, choices, reader)
        if times > 1:
            for owner, _ in owners[reader]:
                smaller = _in_smaller_size(owner, forms[owner], times)
                if smaller is None:
                    return
                forms[owner] = smaller
    if forms != state.choices.forms:
        yield space.in_forms(choices, forms)


def _times_too_large(space: PlanEvaluator, state: State, choices: Choices, reader: Node) -> float:
    """How many times as large as it may be a block of a step is, cut as it is now."""
    held = space.pricing.held(state.graph, choices.held, choices.fused)
    grids = {reader: state.placed[reader].grid}
    priced = place(reader, held, state.placed, space.pricing, grids)
    cost, limits = priced.cost, priced.limits
    return cost.work / max(limits.alone, limits.of_block(cost.blocks, cost.edges))


def _in_smaller_size(
    node: Node, taken: Sequence[FormChoice], times: float
) -> tuple[FormChoice, ...] | None:
    """The forms of a node, the last one in a size so many times as small; None if it has none."""
    *before, last = taken
    reads = node.inputs
    for form in before:
        node = form_of_part(node, form, reads).make(node, form.size)
    sizes = sorted(form_of_part(node, last, reads).sizes)
    fitting = bisect_right(sizes, last.size / times)
    return (*before, last._replace(size=sizes[fitting - 1])) if fitting else None
