"""Rule on loops of stencils: steps that repeat are computed several at a time.

It takes whole graphs, and comes first: a loop of a thousand steps that slices, rolls or pads is a
graph of tens of thousands of nodes, which other rules would rewrite one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.operators.windows.stencil_steps import stencil_after, suitable_steps
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.repeated_steps import Repeated, repeated_parts
from dask_tapestry.rules.stencil_formulas import Fields, StencilFormula, stencil_formula
from dask_tapestry.rules.tuning import MOST_STEP_VIEWS
from dask_tapestry.teg import Graph, Node, Tensor
from dask_tapestry.teg.node import reapply, written_as
from dask_tapestry.teg.nominal import nominal_cuts


def fuse_stencil_loops(graph: Graph, trace: Trace | None = None) -> Graph:
    """``step(step(...(x))) -> steps(x, n)``, where a step is a formula of neighbours."""
    became: dict[Node, Node] = {}
    for part in repeated_parts(graph.nodes):
        for loop in sorted(islice(part, MOST_STEP_VIEWS), key=_fields_and_steps):
            fused = _fused(graph, loop)
            if fused is None:
                continue
            if trace is not None:
                if not became:
                    trace.begin("loops", "graph")
                after = loop.states[-1][0]
                trace.record("fuse_stencil_loops", after, fused[after])
            became |= fused
            break
    if not became:
        return graph
    results = _replaced(graph, became)
    if trace is not None:
        trace.record_results(graph.roots, results)
    return Graph(results)


def _fields_and_steps(loop: Repeated) -> tuple[int, int]:
    """Smaller for a better way to see steps: of few fields, and many."""
    return len(loop.states[0]), -len(loop.states)


def _fused(graph: Graph, loop: Repeated) -> dict[Node, Node] | None:
    """What computes the states that are read behind the loop; None if a step is something else."""
    first, (before, after) = loop.states[0], loop.states[-2:]
    if any(x.type.shape != first[0].type.shape for x in first) or not _is_told_apart(loop):
        return None
    stencil = stencil_formula(after, Fields.plain(before))
    if stencil is None or not _computes(stencil) or not _is_plain(before, after):
        return None
    stops = _stops(graph, loop)
    if stops is None:
        return None
    block = tuple([max(cuts.lengths()) for cuts in nominal_cuts(first[0])])
    most = suitable_steps(block, stencil.program)
    replacements: dict[Node, Node] = {}
    state: Sequence[Node] = first
    done = 0
    for stop in stops:
        while done < stop:
            count = min(most, stop - done)
            state, done = _state_after(state, stencil, count), done + count
        for node, value in zip(loop.states[stop], state, strict=True):
            with written_as(node):
                replacements.setdefault(node, _with_names_of(node, value))
    return replacements


def _is_told_apart(loop: Repeated) -> bool:
    """Whether the last step tells what each field is: its nodes are no others'.

    The first one may not: two fields may begin as one array, which each step may read besides.
    """
    before = loop.states[-2]
    return len({*before}) == len(before) and not {*before} & {*loop.states[0]}


def _computes(found: StencilFormula) -> bool:
    """Whether a step reads neighbours and computes: other rules join what only moves."""
    steps = [step for cell, _ in found.program.formulas for step in cell.steps]
    return any(found.program.reach) and any(step.function != "cast" for step in steps)


def _state_after(state: Sequence[Tensor], found: StencilFormula, count: int) -> Sequence[Tensor]:
    time = full((), np.int64(0))  # which no step reads
    return stencil_after(time, [*state, *found.beside], count, found.program)


def _with_names_of(node: Node, value: Node) -> Node:
    """A value with the names of the node that it replaces."""
    dims = node.type.dims
    return value if value.type.dims == dims else rename(value, dims or ())


def _is_plain(state: Sequence[Node], after: Sequence[Node]) -> bool:
    """Whether a step orders nothing, is not annotated, and its values are NumPy's arrays."""
    stack, visited = [*after], {*state}
    while stack:
        node = stack.pop()
        if node.after or node.annotations or node.format is not None:
            return False
        fresh = [x for x in node.inputs if x not in visited]
        visited.update(fresh)
        stack += fresh
    return all(node.format is None for node in state)


def _stops(graph: Graph, loop: Repeated) -> list[int] | None:
    """The numbers of states that are read behind the loop; None if something else of it is."""
    step_of = {node: step for step, state in enumerate(loop.states) for node in state}
    inner = _inner(graph, loop)
    stops = {len(loop.states) - 1}
    outer = [node for node in graph.nodes if node not in inner]
    read = {x for node in outer for x in (*node.inputs, *node.after)} | {*graph.roots}
    for node in read:
        if node in inner:
            if node not in step_of:
                return None
            stops.add(step_of[node])
    return sorted(stops)


def _inner(graph: Graph, loop: Repeated) -> set[Node]:
    """The nodes that the steps compute."""
    first = {*loop.states[0]}
    stack, needed = [*loop.states[-1]], set(loop.states[-1])
    while stack:
        fresh = [x for x in stack.pop().inputs if x not in needed and x not in first]
        needed.update(fresh)
        stack += fresh
    moving = set(first)
    for node in graph.nodes:
        if node in needed and any(x in moving for x in node.inputs):
            moving.add(node)
    return moving - first


def _replaced(graph: Graph, became: dict[Node, Node]) -> list[Node]:
    """The results of a graph, with other nodes instead of some, also among what these read."""
    replaced: dict[Node, Node] = {}
    stack = [*graph.roots]
    while stack:
        node = stack[-1]
        replacement = became.get(node, node)
        missing = [x for x in (*replacement.inputs, *replacement.after) if x not in replaced]
        if node not in replaced and missing:
            stack += missing
            continue
        stack.pop()
        if node not in replaced:
            inputs, after = (
                [replaced[x] for x in replacement.inputs],
                [replaced[x] for x in replacement.after],
            )
            replaced[node] = reapply(replacement, inputs, after)
    return [replaced[root] for root in graph.roots]
