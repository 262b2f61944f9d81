"""Joint windows: steps that read one stored source, each for itself, become one.

It is looked at where sources are held for their readers. What is held then is what readers make of
a tile, mostly far less than the source, and each block of it is read and let go of by one task.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from dask_tapestry.planner.fusion.fuse import required
from dask_tapestry.planner.fusion.group import Group, members_of
from dask_tapestry.planner.rewriting.joint_reads import (
    ONE_READ,
    joint_read,
    main_source,
    paces_of,
)
from dask_tapestry.planner.search.choices import Choices, FormChoice, State
from dask_tapestry.planner.search.exchanges import owners_of
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.read_parts import few_cells_read_again
from dask_tapestry.planner.search.tuning import NARROW_WINDOWS, WIDE_WINDOWS
from dask_tapestry.teg import BlockOperator, Node, Signature, Sink, Source
from dask_tapestry.teg.operator import signature_of
from dask_tapestry.teg.outputs import windows_of
from dask_tapestry.zspace import Cuts


def read_jointly(
    space: PlanEvaluator,
    state: State,
    source: Node,
    tile_bytes: int,
    widest: float = WIDE_WINDOWS,
) -> Choices | None:
    """Choices in which readers of a held source are one step; None where fewer than two can be.

    Parameters
    ----------
    tile_bytes
        Of the source, which a task reads at least.
    widest
        Times the bytes of the source that a value may have which is held between the steps.
    """
    most = widest * source.type.nbytes
    owners = {
        x: own[0]
        for x, own in owners_of(space, state).items()
        if x.type.nbytes <= most and not windows_of(x.type)
    }
    passes = list(_passes(state, source, owners, tile_bytes))
    if all(len(one.made) < 2 for one in passes):
        return None
    return _joined(space, state, source, passes, owners)


class _Pass(NamedTuple):
    """A pass over a source.

    Attributes
    ----------
    tile_bytes
        The number of its form.
    made
        What it makes.
    on_the_way
        What it computes for that, passes before it too, and the source.
    """

    tile_bytes: int
    made: tuple[Node, ...]
    on_the_way: Set[Node]


def _passes(
    state: State, source: Node, owners: Collection[Node], tile_bytes: int
) -> Iterator[_Pass]:
    """Passes over a source, each of which waits for what those before it make.

    What alone is made in a pass may be what several values of the next one wait for.
    """
    done, passed = frozenset[Node](), frozenset({source})
    while True:
        for deep, alone in (True, False), (False, False), (True, True):
            before = done, passed
            on_the_way, made = _after(state, source, before, owners, tile_bytes, deep, alone)
            if made and all(node in owners for node in made):
                break
        else:
            return
        yield _Pass(tile_bytes, made, on_the_way)
        done, passed = done.union(made), passed.union(on_the_way)
        tile_bytes += 1  # forms of one number are one pass


def _after(
    state: State,
    source: Node,
    before: tuple[frozenset[Node], frozenset[Node]],
    owners: Collection[Node],
    tile_bytes: int,
    deep: bool,
    alone: bool,
) -> tuple[Set[Node], tuple[Node, ...]]:
    """What the next pass computes on the way, and what it makes: nothing where it is no pass.

    Parameters
    ----------
    before
        What passes before it make, and what they compute for that.
    alone
        Whether it makes one value, not several.
    """
    done, passed = before
    made, on_the_way = _in_one_pass(state, source, before, deep)
    owned = [node for node in made if node in owners]
    if alone:
        read = (node for node in owned if joint_read(source, [node], tile_bytes, done))
        return on_the_way, tuple(islice(read, 1))
    found = joint_read(source, owned, tile_bytes, done)
    if found is None:
        return on_the_way, ()
    wanted = _wanted_apart(state, {*done, *found.nodes}, on_the_way, passed)
    if wanted:
        found = joint_read(source, [*found.nodes, *wanted], tile_bytes, done)
    return on_the_way, found.nodes if found is not None else ()


def _joined(
    space: PlanEvaluator,
    state: State,
    source: Node,
    passes: Sequence[_Pass],
    owners: Mapping[Node, tuple[Node, int]],
) -> Choices:
    """Choices in which values are read together, and few cells are held on the way to them."""
    forms = dict(state.choices.forms)
    few = frozenset([x for priced in state.placed.values() for x in few_cells_read_again(priced)])
    inside = {source}
    for one in passes:
        for node in one.made:
            owner, part = owners[node]
            forms[owner] = (*forms.get(owner, ()), FormChoice(ONE_READ, one.tile_bytes, part))
            inside.update(_inside(node, source, state, one.on_the_way))
    fused = (state.choices.fused | inside) - few
    choices = space.in_forms(replace(state.choices, held=few, grids={}, fused=fused), forms)
    return replace(choices, fused=choices.fused | (inside - few))


def taken_apart(state: State, source: Node) -> Choices:
    """Choices in which windows that a step makes are held each by itself, in the blocks it has.

    So nothing is joined, and who reads nodes of a fold is not sent large windows beside them.
    """
    held, grids = set[Node](), dict(state.choices.grids)
    for step, priced in state.placed.items():
        if not windows_of(step.type) or step.type.nbytes <= NARROW_WINDOWS * source.type.nbytes:
            continue
        for taken in state.graph.consumers[step]:
            assert isinstance(taken.operator, BlockOperator)
            written = signature_of(taken.operator, taken.input_types)
            grids[taken] = _written_by(written, taken.type.shape, priced.grid)
            held.add(taken)
    choices = state.choices
    return replace(choices, held=choices.held | held, fused=choices.fused - held, grids=grids)


def _written_by(signature: Signature, shape: tuple[int, ...], points: Grid) -> Grid:
    """How a value is cut where index points are that write it."""
    cuts = [Cuts.regular(extent, max(extent, 1)) for extent in shape]
    for axis, extent in enumerate(shape):
        dim, width = signature.owner(0, axis), signature.cells_per_step(0, axis)
        if dim is not None and not points[dim].edges and points[dim].count > 1:
            own = points[dim]
            cuts[axis] = Cuts.regular(extent, own.step * width, own.lead * width)
    return tuple(cuts)


def _inside(node: Node, source: Node, state: State, passed: Set[Node]) -> list[Node]:
    """What is computed for a value from a source, itself among them, without what is held."""
    return members_of(node, {source, *(set(state.placed) - passed - {node})})


def _in_one_pass(
    state: State, source: Node, before: tuple[frozenset[Node], frozenset[Node]], deep: bool
) -> tuple[list[Node], Set[Node]]:
    """Values that one pass over a source may make, and what it makes on the way, the source too.

    Where it goes `deep`, what is large is made on the way, if nothing else is wanted of it. What
    needs a value that another tile has a part in, too, is no part of the pass.
    """
    done, passed = before[0], set(before[1])
    made, later = list[Node](), set[Node]()
    for node, priced in state.placed.items():
        read = set(priced.group.inputs) - {node}
        if node in done or node in passed:
            continue
        if read & later or not read & passed:
            later |= {node} if read & later else set()
        elif deep and _is_made_on_the_way(node, state, source, done):
            passed.add(node)
        else:
            value = node.inputs[0] if isinstance(node.operator, Sink) else node
            made += [value] if _may_join(value, source) else []
            later.add(node)
    return made, passed


def _wanted_apart(
    state: State, together: Set[Node], passed: Set[Node], before: Set[Node]
) -> list[Node]:
    """What steps read that are not made in a pass of what is made there, or parts of its cells."""
    found = dict[Node, None]()
    for node in (one for one in state.placed if one in passed and one not in before):
        for reader in () if isinstance(node.operator, Source) else state.readers[node]:
            value = reader.inputs[0] if isinstance(reader.operator, Sink) else reader
            if reader not in passed and value not in together:
                found |= dict.fromkeys(_read_of(node, state.placed[reader].group))
    return list(found)


def _read_of(node: Node, reader: Group) -> list[Node]:
    """What a step makes of each cell of a value, if it reads no more of it; else the value."""
    first = [one for one in reader.members if node in one.inputs]
    parts = all(
        one.operator.transparent
        and one.inputs == (node,)
        and one.type.shape == node.type.shape
        and one.type.nbytes < node.type.nbytes
        for one in first
    )
    return first if parts and reader.node not in first else [node]


def _is_made_on_the_way(node: Node, state: State, source: Node, done: frozenset[Node]) -> bool:
    """Whether a value takes much beside the source, and is only read in tiles."""
    large = node.type.nbytes > NARROW_WINDOWS * source.type.nbytes
    wanted = node in required(state.graph) or not state.readers[node]
    return (
        (large or not _may_join(node, source)) and not wanted and bool(paces_of(node, source, done))
    )


def _may_join(node: Node, source: Node) -> bool:
    """Whether a value is an array on the host, of which nothing but its cells is wanted."""
    plain = node.format is None and not node.operator.holds and node.type.size > 0
    dtype = node.type.dtype
    sized = isinstance(dtype, np.dtype) and dtype.kind not in "OT"
    bare = not (node.after or node.annotations)
    return plain and sized and bare and main_source(node) is source
