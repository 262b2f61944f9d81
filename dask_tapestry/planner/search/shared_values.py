"""Values that several steps read or compute, each for itself, are held for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from dask_tapestry.planner.fusion.fuse import required
from dask_tapestry.planner.search.choices import Choices, State
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.tuning import NEAR_NODES
from dask_tapestry.steps.access_strides import movement
from dask_tapestry.teg import Node, Source
from dask_tapestry.zspace import ZRange


def shared_values(state: State) -> list[Node]:
    """Values that several steps read from stores or compute, those of most bytes first.

    Not those of which steps take parts: of a source they read no more together than it has.
    """
    read = Counter[Node]()
    counts = Counter[Node]()
    for priced in state.placed.values():
        for member in dict.fromkeys(priced.group.members):
            counts[member] += 1
            read[member] += round(priced.cost.read)
    found = [
        node
        for node, count in counts.items()
        if count > 1 and node not in state.placed and not node.operator.is_selector
    ]
    found = [n for n in found if not isinstance(n.operator, Source) or read[n] > _stored_bytes(n)]
    return sorted(found, key=lambda node: -node.type.nbytes)


def _stored_bytes(source: Node) -> int:
    return source.operator.stored_bytes(ZRange.of_shape(source.type.shape))


def hold_shared(state: State, node: Node) -> Choices:
    """A value that several steps read or compute is held for all of them."""
    choices = state.choices
    return replace(choices, held=choices.held | {node}, fused=choices.fused - {node})


def held_instead(state: State, node: Node) -> Iterator[Choices]:
    """A shared value is held in the place of those that it alone is made of, or of parts of it.

    Workers may have room for a matrix, or for what is made of it and its transpose, and not both.
    And its even and its odd rows, each held by itself, are read from other workers by what needs
    both.
    """
    must = required(state.graph)
    may_go = [held for held in state.placed if held not in must and state.readers[held]]
    made_of = frozenset([held for held in may_go if _leads_only_to(state, held, node)])
    parts = frozenset([held for held in may_go if _is_part_of(state, held, node)])
    for given_up in dict.fromkeys((made_of, parts)):
        if given_up:
            choices = state.choices.fusing(given_up)
            yield replace(choices, held=choices.held | {node}, fused=choices.fused - {node})


def _is_part_of(state: State, held: Node, node: Node) -> bool:
    """Whether a held value is made of another one, which its step reads, by selectors alone."""
    members = state.placed[held].group.members
    return node in members and all(one is node or one.operator.is_selector for one in members)


def _leads_only_to(state: State, held: Node, node: Node) -> bool:
    """Whether all that is made of a held value is made of another value, which it is not."""
    stack, seen = [held], {held, node}
    while stack:
        for reader in state.graph.consumers[stack.pop()]:
            if reader in state.placed or len(seen) > NEAR_NODES:
                return False
            if reader not in seen:
                seen.add(reader)
                stack.append(reader)
    return held is not node


def held_as_read(space: PlanEvaluator, state: State, node: Node) -> Iterator[Choices]:
    """A shared value is held, cut as its costliest reader reads it that tells how.

    In blocks that are best to compute it travels, which may cost more than to read it again. Of a
    running total blocks are read that lie where those before end: only its sums tell which.
    """
    choices = hold_shared(state, node)
    readers = [p for p in state.placed.values() if node in p.group.members]
    for reader in sorted(readers, key=lambda p: -p.cost.seconds):
        group = space.group(reader.group.node, choices)
        if node in group.inputs:
            moves = movement(group.program)[group.inputs.index(node)]
            grid = moves.pulled(node.type.shape, reader.grid)
            yield replace(choices, grids={**choices.grids, node: grid})
            if any(cuts.count > 1 for cuts in grid):
                return
