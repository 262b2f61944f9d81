"""Fusion: which values are held between steps, and the program each step runs.

A value that is not held is computed within each step that reads it. Held are

- roots, sinks, values whose layout the user fixed, and nodes before or after a sequence point;
- results of operators that are not transparent (reductions, products), unless the rest of the step
  reads each of their cells once: then it is their epilogue;
- stored cells, or a selection of them, and costly formulas, that several steps read, where there is
  memory to hold them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from dask_tapestry.cells import CellBuilder
from dask_tapestry.plan.program import Instruction, Program
from dask_tapestry.rules.views import COSTLY_FLOPS
from dask_tapestry.teg import Graph, Node, Operator, Sink, Source

LONGEST_FORMULA = 256  # steps of one fused formula; longer ones gain nothing more
HELD_SHARE = 0.3  # of all memory that a value may take if it is held while its readers wait


def is_external(node: Node) -> bool:
    """Whether a node's blocks come from outside the plan: from memory or another collection."""
    return isinstance(node.operator, Source) and node.operator.external


def held_values(graph: Graph, memory: int, extra: Iterable[Node] = ()) -> set[Node]:
    """The nodes whose values are held: each becomes the output of one step.

    Parameters
    ----------
    memory
        Bytes of memory of all workers.
    extra
        Nodes to hold in any case.
    """
    held = {n for n in graph.nodes if n.operator.holds} | set(extra)
    held.update(n for n in graph.nodes if n.after and not n.is_sequence_point)
    held.update(a for n in graph.nodes if n.is_sequence_point for a in n.after)
    held.update(graph.roots)
    held = {n for n in held if not n.is_sequence_point}
    readers = graph.consumers
    flops = _formula_flops(graph)
    users: dict[Node, set[Node]] = {}
    once: dict[Node, bool] = {}
    later: dict[Node, set[Node]] = defaultdict(set)
    for node in reversed(graph.nodes):
        if node.is_sequence_point:
            continue
        users[node] = set().union(*(_step_of(c, held, users) for c in readers[node]))
        once[node] = len(readers[node]) == 1 and _epilogue(readers[node][0], node, held, once)
        if node not in held and _must_hold(
            node, users[node], once[node], _is_read_again(node, readers[node]), later, memory, flops
        ):
            held.add(node)
        for user in {node} if node in held else users[node]:
            later[user].update(u for c in readers[node] for u in _step_of(c, held, users))
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


def _must_hold(
    node: Node,
    users: set[Node],
    once: bool,
    again: bool,
    later: dict[Node, set[Node]],
    memory: int,
    flops: dict[Node, int],
) -> bool:
    operator = node.operator
    if not operator.transparent:
        return not once
    if len(users) < 2 or is_external(node):
        return False
    stored = again and _reads_store(node)
    costly = operator.is_formula and flops[node] >= COSTLY_FLOPS
    if not (stored or costly):
        return False
    waits = any(_reaches(a, users - {a}, later) for a in users)
    return not waits or node.type.nbytes <= HELD_SHARE * memory


def _is_read_again(node: Node, readers: list[Node]) -> bool:
    """Whether its readers together read more cells than it has; a selection may read few."""
    size = node.type.size
    chosen = (r.type.size if r.operator.is_selector else size for r in readers)
    return sum(min(cells, size) for cells in chosen) > size


def _formula_flops(graph: Graph) -> dict[Node, int]:
    """Operations that a cell of each node takes, with the formulas before it."""
    flops: dict[Node, int] = {}
    for node in graph.nodes:
        formulas = node.operator.formulas(node.input_types) if node.operator.is_formula else ()
        own = sum(formula.flops for formula in formulas)
        before = max((flops[x] for x in node.inputs if node.operator.transparent), default=0)
        flops[node] = own + before
    return flops


def _reads_store(node: Node) -> bool:
    """Whether a node is a stored source, or a selection of one that repeats no cell."""
    while node.operator.is_selector and len(node.inputs) == 1:
        if node.type.size > node.inputs[0].type.size:
            return False
        node = node.inputs[0]
    return isinstance(node.operator, Source) and not node.operator.external


def _reaches(start: Node, goals: set[Node], later: dict[Node, set[Node]]) -> bool:
    """Whether a step's value is needed, directly or not, by one of the steps `goals`."""
    seen, stack = {start}, [start]
    while stack:
        for after in later[stack.pop()]:
            if after in goals:
                return True
            if after not in seen:
                seen.add(after)
                stack.append(after)
    return False


def program_of(node: Node, held: set[Node]) -> tuple[Program, tuple[Node, ...], tuple[Node, ...]]:
    """Program that computes a held node from other held and external ones.

    Returns it with the nodes it reads and the node that each of its instructions computes.
    """
    if is_external(node):
        return Program((node.type,), ()), (node,), ()
    members = _members(node, held)
    inside = set(members)
    inputs = tuple(dict.fromkeys(x for m in members for x in m.inputs if x not in inside))
    groups: dict[Node, list[Node]] = defaultdict(list)
    for member, lead in _formula_leads(members, node).items():
        groups[lead].append(member)
    number = {x: i for i, x in enumerate(inputs)}
    instructions: list[Instruction] = []
    for member in members:
        if member not in groups:
            continue
        group = groups[member]
        operator, sources = _fused(group) if len(group) > 1 else (member.operator, member.inputs)
        number[member] = len(inputs) + len(instructions)
        instructions.append(
            Instruction(
                operator,
                tuple(number[x] for x in sources),
                tuple(x.type for x in sources),
                member.type,
                member.line,
            )
        )
    computed = tuple(m for m in members if m in groups)
    return Program(tuple(x.type for x in inputs), tuple(instructions)), inputs, computed


def _members(node: Node, held: set[Node]) -> list[Node]:
    """What the step of `node` computes, inputs first."""
    order: list[Node] = []
    state: dict[Node, bool] = {}
    stack = [node]
    while stack:
        top = stack[-1]
        if top in state:
            stack.pop()
            if not state[top]:
                state[top] = True
                order.append(top)
            continue
        state[top] = False
        stack.extend(
            x
            for x in reversed(top.inputs)
            if x not in state and x not in held and not is_external(x)
        )
    return order


def _formula_leads(members: list[Node], last: Node) -> dict[Node, Node]:
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


def _fused(group: list[Node]) -> tuple[Operator, tuple[Node, ...]]:
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
