"""Exchanges: values that workers cannot hold go through a store, in chunks that both sides meet.

Chunks are chosen for the blocks that make a value and for those that read it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from dask_tapestry.errors import PlanError
from dask_tapestry.io.sinks.temporary_sink import TemporarySink
from dask_tapestry.io.sources.temporary_source import TemporarySource
from dask_tapestry.planner.fusion.fuse import required
from dask_tapestry.planner.rewriting.exchanged_values import (
    EXCHANGED,
    is_exchange,
    is_exchangeable,
    number_of,
)
from dask_tapestry.planner.rewriting.form_parts import parts_of
from dask_tapestry.planner.rewriting.joint_reads import ONE_READ
from dask_tapestry.planner.rewriting.rule_choices import forms_of
from dask_tapestry.planner.search.block_sides import (
    BlockSides,
    least_of,
    sides_held,
    sides_read,
    sides_together,
)
from dask_tapestry.planner.search.choices import Choices, FormChoice, State
from dask_tapestry.planner.search.chunk_sides import chunk_sides
from dask_tapestry.planner.search.moves import recomputed_members, stored_grid
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.repeated_work import repeated_seconds
from dask_tapestry.planner.search.tuning import (
    GAIN_OF_NEXT_EXCHANGE,
    MANY_EDGES,
    MOST_EXCHANGED_VALUES,
    READ_SHARE,
)
from dask_tapestry.planner.tuning import HELD_SHARE
from dask_tapestry.teg import Node, Source
from dask_tapestry.zspace import largest_box

Forms = Mapping[Node, tuple[FormChoice, ...]]
Owners = Sequence[tuple[Node, int]]


class _Value(NamedTuple):
    """A value that may be exchanged.

    Attributes
    ----------
    node, owners
        It, and the nodes of the graph without forms that have become it, or of which it is a part,
        each with the number of that part.
    sides
        Of blocks that make it, and of those that read it.
    """

    node: Node
    owners: Owners
    sides: BlockSides


def exchanges(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """Values that are too large to hold, and are held or read again, go through a store.

    Their readers keep their forms, or take none: what came in blocks of rows, and was read in
    parts, may come in blocks of columns then.
    """
    if not space.resources.temporary_store:
        return
    every = _exchangeable(space, state)
    values = every[:MOST_EXCHANGED_VALUES]
    if len(every) > len(values) and not space.fits(state):
        yield from _large_ones_through_a_store(space, state, every)
    found = [
        *_through_a_store(space, state, values),
        *_all_through_a_store(space, state, values),
        *_sources_through_a_store(space, state, values),
    ]
    forms = _without_forms_of_readers(space, state, values)
    if forms is not None:
        plain = space.state(space.in_forms(state.choices, forms))
        others = _exchangeable(space, plain)[:MOST_EXCHANGED_VALUES]
        found += _through_a_store(space, plain, others)
        found.sort(key=lambda choices: space.state(choices).rank)  # a store is gone through once
    yield from found


def in_other_sizes_exchanged(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """Choices in which an operator takes its form in another size, and what it exchanged still is.

    Parts of a form are others then, and their chunks: those of the same operators are exchanged.
    """
    stored = [node for node in state.placed if isinstance(node.operator, TemporarySink)]
    for original, forms in state.choices.forms.items():
        first, *others = forms or (FormChoice(EXCHANGED, 0),)
        form = next((one for one in forms_of(original) if one.name == first.name), None)
        if form is None or not others or any(one.name != EXCHANGED for one in others):
            continue
        kinds = {type(node.inputs[0].operator) for node in stored}
        for size in _next_sizes(form.sizes, first.size):
            resized = {**state.choices.forms, original: (first._replace(size=size),)}
            try:
                plain = space.state(space.in_forms(state.choices, resized))
            except PlanError:  # a reader exchanges parts that it no longer has
                continue
            values = [
                value
                for value in _exchangeable(space, plain)
                if type(value.node.operator) in kinds
                and any(node is original for node, _ in value.owners)
            ]
            if values:
                yield _with_exchanges(space, plain.choices, values)


def _next_sizes(sizes: Sequence[int], size: int) -> list[int]:
    """The next finer size, and the next coarser one."""
    return [
        *sorted(one for one in sizes if one < size)[-1:],
        *sorted(one for one in sizes if one > size)[:1],
    ]


def _exchangeable(space: PlanEvaluator, state: State) -> list[_Value]:
    """The values that may go through a store, the largest first."""
    candidates = _candidates(space, state)
    owners = owners_of(space, state)
    found = [
        _Value(node, owners[node], candidates[node])
        for node in candidates
        if node in owners and is_exchangeable(node)
    ]
    return sorted(found, key=lambda one: -one.node.type.nbytes)


def owners_of(space: PlanEvaluator, state: State) -> dict[Node, list[tuple[Node, int]]]:
    """Of each node, those of the graph without forms that it is part of, and which part.

    Several have one that they make alike, as places that two tables are sent: it goes through a
    store in all of them, or would be made again for the others.
    """
    forms = state.choices.forms
    _, became = space.became(forms)
    found = {now: [(node, 0)] for node, now in became.items()}
    for node in forms:
        reads = [became[x] for x in node.inputs]
        for place, part in enumerate(parts_of(became[node], reads)):
            known = found.setdefault(part, [])
            if (node, place) not in known:
                known.append((node, place))
    return {now: _before_joint_reads(owners, forms) for now, owners in found.items()}


def _before_joint_reads(owners: list[tuple[Node, int]], forms: Forms) -> list[tuple[Node, int]]:
    """The owners without what is read jointly, if any are left.

    Reads are joined last, of what others have become: what is exchanged before is so in all.
    """
    joint = {node for node, _ in owners if any(f.name == ONE_READ for f in forms.get(node, ()))}
    return [one for one in owners if one[0] not in joint] or owners


def _through_a_store(
    space: PlanEvaluator, state: State, values: Sequence[_Value]
) -> Iterator[Choices]:
    """The choices in which one of the values is exchanged."""
    for value in values:
        yield _with_exchanges(space, state.choices, [value])


def _all_through_a_store(
    space: PlanEvaluator, state: State, values: Sequence[_Value]
) -> Iterator[Choices]:
    """The choices in which all values of one form are exchanged, as the runs of a sort and buckets.

    With one of them, workers hold the other as long.
    """
    for original in dict.fromkeys(node for value in values for node, _ in value.owners):
        parts = [value for value in values if any(node is original for node, _ in value.owners)]
        if len(parts) > 1:
            yield _with_exchanges(space, state.choices, parts)


def _sources_through_a_store(
    space: PlanEvaluator, state: State, values: Sequence[_Value]
) -> Iterator[Choices]:
    """The choices in which all stored arrays are exchanged that steps read again together.

    As the fields of a step: through a store goes what most of the reading is, or it gains little.
    """
    sources = {value.node: value for value in values if isinstance(value.node.operator, Source)}
    read = [[x for x in sources if x in one.group.members] for one in state.placed.values()]
    for together in dict.fromkeys(map(tuple, read)):
        if len(together) > 1:
            yield _with_exchanges(space, state.choices, [sources[one] for one in together])


def _large_ones_through_a_store(
    space: PlanEvaluator, state: State, values: Sequence[_Value]
) -> Iterator[Choices]:
    """The choices in which all values are exchanged that workers cannot hold beside each other.

    Of a long program each one alone lacks no less memory than all others do. What another one is
    made of cell by cell is computed with that.
    """
    large = {value.node for value in values if value.node in state.placed}
    with_reader = {x for x in large if _is_made_into(x, state.readers[x], large)}
    chosen = [value for value in values if value.node in large - with_reader]
    if chosen:
        yield _with_exchanges(space, state.choices.fusing(with_reader), chosen)


def _is_made_into(node: Node, readers: Sequence[Node], large: Set[Node]) -> bool:
    """Whether a value becomes another one of some, cell by cell."""
    if len(readers) != 1 or readers[0] not in large:
        return False
    (reader,) = readers
    return reader.operator.transparent and reader.type.shape == node.type.shape


def _with_exchanges(space: PlanEvaluator, choices: Choices, values: Sequence[_Value]) -> Choices:
    """The choices in which all of some values are exchanged."""
    forms = dict(choices.forms)
    places = [(place, owner, value) for value in values for owner, place in value.owners]
    for place, owner, value in sorted(places, key=lambda one: -one[0]):  # the others keep theirs
        size = number_of(chunk_sides(space, value.node, value.sides), value.node.type.shape)
        forms[owner] = (*forms.get(owner, ()), FormChoice(EXCHANGED, size, place))
    choices = space.in_forms(choices, forms)
    for value in values:
        choices = _only_written(choices, value.node)
    return choices


def in_other_chunks(space: PlanEvaluator, state: State) -> Iterator[Choices]:
    """The choices in which what is read again from a store lies in chunks for its readers.

    Chunks are chosen with a value, for the blocks of that moment; to fit, they become others.
    """
    sinks = {
        node.operator.value: largest_box(priced.grid).shape
        for node, priced in state.placed.items()
        if isinstance(node.operator, TemporarySink)
    }
    originals = {now: node for node, now in space.became(state.choices.forms)[1].items()}
    for priced in state.placed.values():
        for node in recomputed_members(priced):
            original, own = originals.get(node), node.operator
            if original is None or not isinstance(own, TemporarySource) or own.value not in sinks:
                continue
            read = sides_read(node, priced)
            *before, last = state.choices.forms[original]
            if read is None or last.name != EXCHANGED or last.place:
                continue
            sides = chunk_sides(space, node, BlockSides(sinks[own.value], read))
            if sides != own.stored:
                forms = {**state.choices.forms}
                forms[original] = (*before, last._replace(size=number_of(sides, node.type.shape)))
                yield _only_written(space.in_forms(state.choices, forms), node)


def _without_forms_of_readers(
    space: PlanEvaluator, state: State, values: Sequence[_Value]
) -> dict[Node, tuple[FormChoice, ...]] | None:
    """The forms but those of what reads a value, or the like of it; None if that has none."""
    alike = {node for value in values for node, _ in value.owners}
    forms = dict(state.choices.forms)
    for node in space.graph.nodes:
        shapes = [one.type.shape for one in node.inputs if one in alike]
        if shapes:
            forms.pop(node, None)
            if node.type.shape in shapes:
                alike.add(node)
    return forms if len(forms) < len(state.choices.forms) else None


def _only_written(choices: Choices, node: Node) -> Choices:
    """The choices for a graph in which a value is read by its sink alone, and not held."""
    grids = {n: g for n, g in choices.grids.items() if n is not node and not is_exchange(n)}
    fused = choices.fused | {node}
    return replace(choices, held=choices.held - {node}, fused=fused, grids=grids)


def _candidates(space: PlanEvaluator, state: State) -> Mapping[Node, BlockSides]:
    """Large values, each with the sides of blocks that make it and of those that read it.

    Of a plan that does not fit, those that are no larger than what is read again, too: several may
    be held together.
    """
    memory = space.pricing.memory
    least = (HELD_SHARE if space.fits(state) else READ_SHARE) * memory
    must = required(state.graph)
    candidates: dict[Node, BlockSides] = {}
    for node, priced in state.placed.items():
        readers = [state.placed[r] for r in state.readers[node] if r is not node]
        if not readers or node in must:
            continue
        edges = max(reader.cost.edges for reader in readers)
        if node.type.nbytes > least or edges > MANY_EDGES:
            read = least_of([sides_held(node, reader) for reader in readers])
            written = largest_box(priced.grid).shape
            candidates[node] = BlockSides(written, read, sides_together(priced))
    for priced in state.placed.values():
        for node in recomputed_members(priced):
            if isinstance(node.operator, Source) and node.type.nbytes > READ_SHARE * memory:
                grid, sides = stored_grid(node), sides_read(node, priced)
                if grid is not None and sides is not None:
                    read = least_of([sides, candidates.get(node, BlockSides((), sides)).read])
                    candidates[node] = BlockSides(largest_box(grid).shape, read)
    return candidates | dict(_made_by_several(space, state, least))


def _made_by_several(
    space: PlanEvaluator, state: State, least: float
) -> Iterator[tuple[Node, BlockSides]]:
    """Values of more than `least` bytes that several steps make, and sides of their blocks.

    So are the runs of a sort that workers cannot hold: each round of probes would sort them again.
    """
    enough = (1 - GAIN_OF_NEXT_EXCHANGE) * state.seconds
    for node, seconds in repeated_seconds(state, space.pricing.machine).items():
        if seconds < enough or node.type.nbytes <= least or isinstance(node.operator, Source):
            continue
        steps = [one for one in state.placed.values() if node in one.group.members]
        sides = [side for one in steps if (side := sides_read(node, one)) is not None]
        if len(sides) > 1:
            every = least_of(sides)
            yield node, BlockSides(every.sides, every)
