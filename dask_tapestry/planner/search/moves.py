"""Moves: choices that differ in one from those of a plan.

Each is a choice that a step would make differently for the sake of another: a value that several
blocks compute again is held, a held one computed where it is read, a producer cut as its reader
reads, a dimension cut once more or less, a reduction done in other parts.

Source: Tapestry whitepaper, "Graph Mutator Selection Optimization".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from math import prod

from dask_tapestry.errors import PlanError
from dask_tapestry.planner.cost.typical_blocks import largest_block
from dask_tapestry.planner.fusion.fuse import required
from dask_tapestry.planner.rewriting.rule_choices import form_of_part, forms_of
from dask_tapestry.planner.search.alike import one_of_each
from dask_tapestry.planner.search.choices import Choices, FormChoice, State
from dask_tapestry.planner.search.form_sizes import sizes_near
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import PricedGroup
from dask_tapestry.planner.search.read_parts import few_cells_read_again, parts_read
from dask_tapestry.planner.search.tuning import CHANGED_ALIKE, FEW_CHOSEN, MOVED_AGAIN
from dask_tapestry.settings import BLOCK_BYTES
from dask_tapestry.steps.access_strides import movement
from dask_tapestry.steps.chunk_alignment import units
from dask_tapestry.teg import Node, Sink, Source
from dask_tapestry.teg.node import device_of
from dask_tapestry.zspace import Cuts


def hold(state: State, priced: PricedGroup) -> Iterator[Choices]:
    """Values that the blocks of a step compute several times over are held instead.

    All that are read from outside first, or the parts of them that are taken, in the blocks that
    are best to read, or in whole stored chunks, which readers take as they are; then each; and in
    the place of those what selectors make of them, as rows of a matrix that is stored as a vector.
    Where a block is too large, it may be that no single one makes it smaller, as along a chain of
    reshapes: then all of them, too, and what selectors make of those that are computed.
    """
    nodes = [n for n in recomputed_members(priced) if n not in state.placed]
    all_recomputed = nodes if priced.rank.excess else []
    sources = [n for n in nodes if isinstance(n.operator, Source)]
    both = (arrangements(priced, some) for some in (sources, all_recomputed))
    arranged, all_arranged = ([n for n in some if n not in state.placed] for some in both)
    parts = [n for n in parts_read(priced, sources) if n not in state.placed]
    few = [n for n in few_cells_read_again(priced) if n not in state.placed]
    sets = (few, parts, sources, all_recomputed, *([n] for n in nodes), arranged, all_arranged)
    for some in {frozenset(some): None for some in sets if some}:
        more_held = replace(
            state.choices, held=state.choices.held | some, fused=state.choices.fused - some
        )
        yield more_held
        whole = {n: g for n in some if (g := stored_grid(n)) is not None}
        if whole and some == frozenset(sources):
            yield replace(more_held, grids={**more_held.grids, **whole})
    yield from _handed_whole(state, priced, sources)


def _handed_whole(state: State, priced: PricedGroup, read: list[Node]) -> Iterator[Choices]:
    """Sources of which every block reads all are read by one task, which hands them to all workers.

    In one block, so that nobody joins them.
    """
    most = priced.limits.task
    tables = [n for n in read if n.type.nbytes <= most and _is_read_whole(priced, n)]
    if tables:
        grids = {n: tuple(Cuts.regular(side, side) for side in n.type.shape) for n in tables}
        yield replace(
            state.choices,
            held=state.choices.held | set(tables),
            fused=state.choices.fused - set(tables),
            grids={**state.choices.grids, **grids},
        )


def _is_read_whole(priced: PricedGroup, node: Node) -> bool:
    """Whether a block of a step reads all cells of a value that it computes or reads itself."""
    program = priced.group.program
    value = len(program.inputs) + priced.group.members.index(node)
    boxes = program.schedule(largest_block(program, priced.grid)).boxes[value]
    return any(box.size == node.type.size for box in boxes)


def stored_grid(node: Node, most: int = BLOCK_BYTES) -> Grid | None:
    """Blocks of whole chunks of a stored source, squarish ones where chunks are small.

    Parameters
    ----------
    most
        Bytes up to which a block has several chunks.
    """
    source = node.operator
    stored = source.chunk_cuts if isinstance(source, Source) and node.type.size else None
    if stored is None:
        return None
    shape, itemsize = node.type.shape, node.type.dtype.itemsize
    sides = [cuts.longest for cuts in stored]
    while 2 * prod(sides) * itemsize <= most:
        shorter = [d for d, n in enumerate(shape) if sides[d] < n]
        if not shorter:
            break
        dim = min(shorter, key=lambda d: sides[d])
        sides[dim] = min(2 * sides[dim], shape[dim])
    return tuple([cuts.grouped(side) for cuts, side in zip(stored, sides, strict=True)])


def recomputed_members(priced: PricedGroup) -> list[Node]:
    """Members of a step that its blocks together compute or read more often than once."""
    program, grid = priced.group.program, priced.grid
    if priced.cost.blocks == 1 or not program.type.size:
        return []
    first = len(program.inputs)
    box = largest_block(program, grid)
    blocks = program.type.size / box.size
    schedule = program.schedule(box)
    cells, wholes = Counter[Node](), dict[Node, int]()
    for member, instruction, boxes in zip(
        priced.group.members, program.instructions, schedule.boxes[first:], strict=True
    ):
        operator, type_ = instruction.operator, instruction.type
        computes = operator.is_formula or operator.is_window or not operator.transparent
        if computes or isinstance(operator, Source):
            stored = sum(operator.stored_bytes(b) for b in boxes) // max(1, type_.dtype.itemsize)
            cells[member] += max(sum(b.size for b in boxes), stored)
            wholes[member] = type_.size
    members = [x for x, whole in wholes.items() if blocks * cells[x] > MOVED_AGAIN * whole]
    return members[::-1]


def arrangements(priced: PricedGroup, nodes: list[Node]) -> list[Node]:
    """The last members of a step that selectors make anew of each of `nodes`."""
    origin = {node: node for node in nodes}
    last: dict[Node, Node] = {}
    for member in priced.group.members:
        first = next((origin[x] for x in member.inputs if x in origin), None)
        if first is None or not member.operator.is_selector:
            continue
        origin[member] = first
        if member.operator.copies:
            last[first] = member
    return list(last.values())


def split(state: State, priced: PricedGroup) -> Iterator[Choices]:
    """A step becomes two, after what it reduces, multiplies, chooses, writes or brings to a device.

    Each of them is then cut as is best for itself: rows of a product that fill the slots are
    gathered into the large pieces that a store has. All threads of the host compute what a
    device's one task at a time reads. And few cells of all chunks, as those that a mask picks, are
    read by as many blocks as there are chunks, though a fold of these few is one block.
    """
    for member in priced.group.members[-2::-1]:
        readers = state.graph.consumers[member]
        moved = any(_is_moved(member, c) for c in readers) or _is_choice(member, readers)
        if (moved or not member.operator.transparent) and member not in state.placed:
            yield replace(
                state.choices,
                held=state.choices.held | {member},
                fused=state.choices.fused - {member},
            )


def _is_choice(node: Node, readers: Sequence[Node]) -> bool:
    """Whether a node takes few cells of what it reads, and readers go on with these."""
    if not node.operator.is_selector or all(c.operator.is_selector for c in readers):
        return False
    origin = node
    while origin.operator.is_selector and origin.inputs:
        origin = max(origin.inputs, key=lambda x: x.type.size)
    return FEW_CHOSEN * node.type.size <= origin.type.size


def _is_moved(node: Node, reader: Node) -> bool:
    """Whether a reader writes a value, or brings to a device what the host has computed."""
    if isinstance(reader.operator, Sink):
        return True
    brings = reader.operator.sets_format and device_of(reader) is not None
    return brings and device_of(node) is None and not isinstance(node.operator, Source)


def fuse(state: State, nodes: Set[Node]) -> Choices:
    """Held values are computed in the steps that read them."""
    return state.choices.fusing(nodes)


def optional(state: State) -> list[Node]:
    """Held values that need not be."""
    must = required(state.graph)
    return [n for n in state.placed if n not in must and state.readers[n]]


def fuse_sets(state: State) -> Iterator[Choices]:
    """First all optional values, then those that are alike together, like layers, then some alone.

    Of each set, also with what its readers fold held before: blocks of a fold's nodes may be too
    large to compute all of it in, where those of the cells that are folded are not.
    """
    nodes = optional(state)
    placed = [state.placed[node] for node in nodes]
    programs = [(node, p.group.program, p.held) for node, p in zip(nodes, placed, strict=True)]
    some_of_each = list(one_of_each(programs, CHANGED_ALIKE))
    sets = [nodes, *[group for _, group in some_of_each], *[[one] for one, _ in some_of_each]]
    for some in {frozenset(some): None for some in sets if some}:
        yield fuse(state, some)
        folded = {x for node in some for x in _folded(state, node)}
        if folded:
            fused = fuse(state, some)
            yield replace(fused, held=fused.held | folded, fused=fused.fused - folded)


def _folded(state: State, node: Node) -> Iterator[Node]:
    """The cells, computed in the steps that read a value, which these fold: smaller than it reads.

    Cells that are stored or come from outside are there.
    """
    for reader in state.readers[node]:
        members = state.placed[reader].group.members
        if reader.operator.transparent or node in reader.inputs:
            continue
        most = max((x.type.nbytes for x in members if isinstance(x.operator, Source)), default=0)
        computed = (x for x in reader.inputs if x not in state.placed and x.inputs)
        yield from (x for x in computed if x.type.nbytes < most)


def _with_grid(state: State, node: Node, grid: Grid) -> Choices:
    return replace(state.choices, grids={**state.choices.grids, node: grid})


def pulled_grid(node: Node, reader: PricedGroup) -> Grid:
    """The grid of what the blocks of a reader take of a value."""
    moves = movement(reader.group.program)[reader.group.inputs.index(node)]
    return moves.pulled(node.type.shape, reader.grid)


def pull(state: State, priced: PricedGroup) -> Iterator[Choices]:
    """A producer is cut as the step reads it."""
    for x in priced.group.inputs:
        producer = state.placed.get(x)
        if producer is None or x is priced.group.node or x.operator.layout is not None:
            continue
        pulled = pulled_grid(x, priced)
        if pulled != producer.grid:
            yield _with_grid(state, x, pulled)


def merge_producers(state: State, priced: PricedGroup) -> Iterator[Choices]:
    """Producers are cut in fewer pieces, where handling parts of them is what a step takes."""
    if priced.cost.bound != "overhead":
        return
    for x in priced.group.inputs:
        producer = state.placed.get(x)
        if producer is None or x.operator.layout is not None:
            continue
        dim, cuts = max(enumerate(producer.grid), key=lambda one: one[1].count, default=(0, None))
        for times in (4, 2):
            if cuts and (grids := _in_pieces(producer, dim, -(-cuts.count // times))):
                yield replace(state.choices, grids={**state.choices.grids, **grids})


def push(state: State, priced: PricedGroup) -> Iterator[Choices]:
    """The step is cut as one of its producers is."""
    node, moves = priced.group.node, movement(priced.group.program)
    for at, own in enumerate(priced.held):
        if own is not None and at < len(moves):
            pushed = moves[at].pushed(node.type.shape, own)
            if pushed != priced.grid:
                yield _with_grid(state, node, pushed)


def recut(state: State, priced: PricedGroup, finer: bool = True) -> Iterator[Choices]:
    """A dimension of the step is cut in half as many pieces, or in twice as many."""
    for dim, cuts in enumerate(priced.grid):
        for count in {-(-cuts.count // 2), *([2 * cuts.count] if finer else [])} - {cuts.count}:
            if grids := _in_pieces(priced, dim, count):
                yield replace(state.choices, grids={**state.choices.grids, **grids})


def halved(state: State, alike: Sequence[PricedGroup]) -> Iterator[Choices]:
    """A dimension of steps that are cut alike is cut in twice as many pieces."""
    for dim, cuts in enumerate(alike[0].grid):
        grids = dict[Node, Grid]()
        for priced in alike:
            grids |= _in_pieces(priced, dim, 2 * cuts.count)
        if grids:
            yield replace(state.choices, grids={**state.choices.grids, **grids})


def in_chunks(state: State, alike: Sequence[PricedGroup]) -> Iterator[Choices]:
    """Stored values that are held, and cut alike, are cut as they are stored: a block a chunk."""
    grids = dict[Node, Grid]()
    for priced in alike:
        grid = stored_grid(priced.group.node, most=0)
        if grid is not None and grid != priced.grid:
            grids[priced.group.node] = grid
    if grids:
        yield replace(state.choices, grids={**state.choices.grids, **grids})


def _in_pieces(priced: PricedGroup, dim: int, count: int) -> dict[Node, Grid]:
    """The grid of a step of which a dimension is cut in so many pieces, if it can be."""
    unit, cuts = units(priced.group.program, priced.held)[dim], priced.grid[dim]
    other = unit.cut(cuts.extent, count)
    if other == cuts:
        return {}
    return {priced.group.node: (*priced.grid[:dim], other, *priced.grid[dim + 1 :])}


def freed(state: State, node: Node) -> Iterator[Choices]:
    """The step takes the grid that is best for itself."""
    if node in state.choices.grids:
        grids = {n: g for n, g in state.choices.grids.items() if n is not node}
        yield replace(state.choices, grids=grids)


def move_to_group(state: State, priced: PricedGroup) -> Iterator[Choices]:
    """The step is computed at another place, or anywhere, in the way that is best there."""
    node = priced.group.node
    for place in ("", *state.places) if state.places else ():
        if place != priced.place:
            places = {**state.choices.places, node: place}
            grids = {n: g for n, g in state.choices.grids.items() if n is not node}
            yield replace(state.choices, places=places, grids=grids)


def reform(space: PlanEvaluator, state: State, node: Node) -> Iterator[Choices]:
    """A node of the graph as it was takes other forms, or other sizes of its forms.

    One that takes none any more may be computed where it is read as well: blocks of whole lanes
    have all that a fold along these reads.
    """
    now = state.choices.forms.get(node, ())
    for other in dict.fromkeys(_other_forms(node, now)):
        if other != now and _can_take(node, other):
            forms = {n: f for n, f in {**state.choices.forms, node: other}.items() if f}
            for choices in _in_forms(space, state, forms):
                yield choices
                if not other:
                    yield choices.fusing({space.became(forms)[1][node]})


def resize(space: PlanEvaluator, state: State, nodes: Sequence[Node]) -> Iterator[Choices]:
    """Nodes that have taken the same forms take one in the next size, or one of whole chunks."""
    now = state.choices.forms.get(nodes[0], ())
    for other in dict.fromkeys(_other_forms(nodes[0], now)):
        alike = [one.name for one in other] == [one.name for one in now]
        if other != now and alike and all(_can_take(node, other) for node in nodes):
            resized = dict.fromkeys(nodes, other)
            yield from _in_forms(space, state, {**state.choices.forms, **resized})


def _in_forms(
    space: PlanEvaluator, state: State, forms: Mapping[Node, tuple[FormChoice, ...]]
) -> Iterator[Choices]:
    """The choices in these forms; none where a reader no longer has the one that it took.

    A user's rule may look at what a node reads, and know it in no other form.
    """
    try:
        choices = space.in_forms(state.choices, forms)
    except PlanError:
        return
    yield choices


def _other_forms(node: Node, now: tuple[FormChoice, ...]) -> Iterator[tuple[FormChoice, ...]]:
    """Form choices that differ in one: dropped, added, or in another size."""
    reads = node.inputs
    for form_number in range(len(now) + 1):
        before, after = now[:form_number], now[form_number + 1 :]
        yield before
        for form in forms_of(node):
            if form_number == len(now) or form.name != now[form_number].name:
                if form.planning:
                    continue  # whether it is worth its planning is decided once, before
                yield (*before, FormChoice(form.name, form.sizes[len(form.sizes) // 2]))
                continue
            size = now[form_number].size
            for other in sizes_near(node, form, size):
                yield (*before, FormChoice(form.name, other), *after)
                yield (*before, FormChoice(form.name, other))
        if form_number < len(now):
            taken = now[form_number]
            node = form_of_part(node, taken, reads).make(node, taken.size)


def _can_take(node: Node, forms: tuple[FormChoice, ...]) -> bool:
    """Whether each form is one of what the form before has made, in one of its sizes."""
    for name, size, place in forms:
        form = next((f for f in forms_of(node) if f.name == name), None)
        if place or form is None or not min(form.sizes) <= size <= max(form.sizes):
            return False
        node = form.make(node, size)
    return True
