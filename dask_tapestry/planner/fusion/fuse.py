"""Which operators fuse: which values are held between steps, and what each step runs.

A value that is not held is computed within each step that reads it. Held are

- roots, sinks, values whose layout the user fixed, and nodes before or after a sequence point, but
  for what a compute has written for itself, which is read where it is needed;
- values whose readers' annotations cannot be joined with their own;
- results of operators that are not transparent (reductions, products), unless the rest of the step
  reads each of their cells once: then it is their epilogue. Where cells made of theirs alone are
  smaller, as those of a mean than its sums and counts, those are held in their place;
- stored cells, or a selection of them (not both as they are and turned), costly formulas, what is
  made of windows, and what is brought to a device, that several steps read, where there is memory
  to hold them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache, partial

from dask_tapestry.planner.fusion.annotation_groups import held_apart
from dask_tapestry.planner.fusion.cellwise_ends import held_in_place
from dask_tapestry.planner.fusion.group import is_external
from dask_tapestry.planner.tuning import HELD_SHARE
from dask_tapestry.rules.tuning import COSTLY_FLOPS
from dask_tapestry.teg import Graph, Node, Sink, Source


def required(graph: Graph) -> set[Node]:
    """The nodes that are held whatever it costs."""
    held = {n for n in graph.nodes if n.operator.holds}
    held.update(
        n for n in graph.nodes if n.after and not n.is_sequence_point and not is_read_late(n)
    )
    held.update(a for n in graph.nodes if n.is_sequence_point for a in n.after)
    held.update(graph.roots)
    held = {n for n in held if not n.is_sequence_point}
    return held | held_apart(graph, held)


def is_read_late(node: Node) -> bool:
    """Whether the steps that read a source follow what it follows, in its place."""
    return isinstance(node.operator, Source) and node.operator.waits_where_read


def held_values(
    graph: Graph,
    memory: int,
    extra: Iterable[Node] = (),
    fused: Collection[Node] = (),
    local: bool = False,
) -> set[Node]:
    """The nodes whose values are held: each becomes the output of one step.

    Parameters
    ----------
    memory
        Bytes of memory of all workers.
    extra, fused
        Nodes to hold besides those that must be, and nodes not to hold unless they must be.
    local
        Whether this process computes: files whose cells are not encoded come from the system's
        memory when they are read again, in less time than fresh memory takes to hold them.
    """
    held = required(graph) | set(extra)
    readers = graph.consumers
    in_place = held_in_place(graph, held, fused)
    held.update(end for end in in_place.values() if end not in fused)
    flops = partial(_formula_flops, graph)  # of few graphs any step asks for it
    users: dict[Node, set[Node]] = {}
    once: dict[Node, bool] = {}
    later: dict[Node, set[Node]] = {}  # by step, those that read its value
    for node in reversed(graph.nodes):
        if node.is_sequence_point:
            continue
        users[node] = set().union(*(_step_of(c, held, users) for c in readers[node]))
        once[node] = len(readers[node]) == 1 and _epilogue(readers[node][0], node, held, once)
        once[node] |= node in in_place
        if (
            node not in held
            and node not in fused
            and not _is_arranged_anew(node, readers)
            and _is_better_held(
                node,
                users[node],
                once[node],
                readers[node],
                later,
                memory,
                flops,
                local,
            )
        ):
            held.add(node)
        if node in held:
            later[node] = users[node]
    return held


def _step_of(consumer: Node, held: set[Node], users: dict[Node, set[Node]]) -> set[Node]:
    return {consumer} if consumer in held else users.get(consumer, set())


def _epilogue(consumer: Node, node: Node, held: set[Node], once: dict[Node, bool]) -> bool:
    """Whether `node`'s only reader, and all after it in the step, read each cell once."""
    operator = consumer.operator
    if not (operator.transparent or isinstance(operator, Sink)):
        return False
    reads = operator.reads_once(consumer.input_types)
    mine = [r for r, x in zip(reads, consumer.inputs, strict=True) if x is node]
    return len(mine) == 1 and mine[0] and (consumer in held or once[consumer])


def _is_better_held(
    node: Node,
    users: set[Node],
    once: bool,
    readers: list[Node],
    later: dict[Node, set[Node]],
    memory: int,
    flops: Callable[[], dict[Node, int]],
    local: bool,
) -> bool:
    operator = node.operator
    if not operator.transparent:
        return not once
    if len(users) < 2 or is_external(node) or is_read_late(node):  # it is stored as it is not held
        return False
    stored = _reads_store(node, local) and _is_read_again(node, readers)
    worth_holding = stored or operator.is_window or _is_brought_again(node, readers)
    if not (worth_holding or (operator.is_formula and flops()[node] >= COSTLY_FLOPS)):
        return False
    waits = any(_reaches(a, users - {a}, later) for a in users)
    return not waits or node.type.nbytes <= HELD_SHARE * memory


def _is_arranged_anew(node: Node, readers: Mapping[Node, list[Node]]) -> bool:
    """Whether others read the same cells as they are, so that these are held.

    To hold a transpose beside them takes as much memory again, and its reader copies what it joins.
    """
    if not node.operator.is_selector or len(node.inputs) != 1:
        return False
    (x,) = node.inputs
    return x.type.size == node.type.size and len(set(readers[x])) > 1


def _is_brought_again(node: Node, readers: list[Node]) -> bool:
    """Whether cells would be brought to a device several times."""
    known = node.format
    if known is None or not known.on_device or not node.operator.sets_format:
        return False
    return _is_read_again(node, readers)


def _is_read_again(node: Node, readers: list[Node]) -> bool:
    """Whether its readers together read more cells than it has; a selection may read few."""
    size = node.type.size
    chosen = (r.type.size if r.operator.is_selector else size for r in readers)
    return sum(min(cells, size) for cells in chosen) > size


@lru_cache(maxsize=8)  # whatever is held of a graph
def _formula_flops(graph: Graph) -> dict[Node, int]:
    """Operations that a cell of each node takes, with the formulas before it."""
    flops: dict[Node, int] = {}
    for node in graph.nodes:
        formulas = node.operator.formulas(node.input_types) if node.operator.is_formula else ()
        own = sum(formula.flops for formula in formulas)
        before = max((flops[x] for x in node.inputs if node.operator.transparent), default=0)
        flops[node] = own + before
    return flops


def _reads_store(node: Node, local: bool) -> bool:
    """Whether a node is a stored source, or a selection of one that repeats no cell.

    Plain ones do not count where this process reads them.
    """
    while node.operator.is_selector and len(node.inputs) == 1:
        if node.type.size > node.inputs[0].type.size:
            return False
        node = node.inputs[0]
    source = node.operator
    if not isinstance(source, Source) or source.external:
        return False
    return not (local and source.is_plain)


def _reaches(start: Node, goals: set[Node], later: dict[Node, set[Node]]) -> bool:
    """Whether a step's value is needed, directly or not, by one of the steps `goals`."""
    visited, stack = {start}, [start]
    while stack:
        for after in later[stack.pop()]:
            if after in goals:
                return True
            if after not in visited:
                visited.add(after)
                stack.append(after)
    return False
