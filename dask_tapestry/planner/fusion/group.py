"""Groups: what is fused into one step, and the program that a block of it runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.fusion.computing_order import computing_order
from dask_tapestry.planner.fusion.formula_inlining import formula_leads, inlined
from dask_tapestry.planner.fusion.source_parts import in_parts, source_parts
from dask_tapestry.steps.device_values import lying_on
from dask_tapestry.steps.program import Instruction, Program
from dask_tapestry.teg import Node, Source
from dask_tapestry.teg.node import device_of
from dask_tapestry_kernels.block_format import BlockFormat
from dask_tapestry_kernels.devices import lacking


@dataclass(frozen=True, eq=False)
class Group:
    """A held value with all that is computed for it between other held values.

    Attributes
    ----------
    node
        The value.
    program
        What one block of it takes. While plans are compared it is one of all groups that differ in
        their data alone, as those of the variables of a Dataset do.
    own
        What one block of it computes.
    inputs
        The held and external nodes that it reads.
    members
        The node that each instruction of the program computes; a source that is read in parts has
        one for each.
    """

    node: Node
    program: Program
    own: Program
    inputs: tuple[Node, ...]
    members: tuple[Node, ...]

    @property
    def device(self) -> str:
        """The device that computes it, as a user names it; "" for the host."""
        known = self.own.device
        return "" if known is None else known.device

    def in_pieces_of(self, most: int | None) -> Group:
        """The group whose blocks are computed in pieces of so many bytes; None for the usual."""
        if most == self.own.piece_bytes:
            return self
        own = replace(self.own, piece_bytes=most)
        return replace(self, own=own, program=own)


def is_external(node: Node) -> bool:
    """Whether a node's blocks come from outside the plan: from memory or another collection."""
    return isinstance(node.operator, Source) and node.operator.external


def lies_in_runs(node: Node) -> bool:
    """Whether a worker has blocks that follow each other of a node from outside the plan."""
    return isinstance(node.operator, Source) and node.operator.in_runs


def group_of(node: Node, held: Collection[Node]) -> Group:
    """What computes a held node from other held and external ones."""
    if is_external(node):
        given = Program((node.type,), ())
        return Group(node, given, given, (node,), ())
    written = members_of(node, held)
    parts = source_parts(written)
    members = computing_order(written, parts)
    inputs = inputs_of(members)
    groups: dict[Node, list[Node]] = defaultdict(list)
    for member, lead in formula_leads(members, node, parts).items():
        groups[lead].append(member)
    computed = tuple(in_parts([m for m in members if m in groups], parts))
    instructions = _instructions(computed, groups, inputs, devices_of(members), parts)
    lie = tuple([lying_on(x) for x in inputs])
    types = tuple(x.type for x in inputs)
    in_runs = tuple([lies_in_runs(x) for x in inputs])
    program = Program(
        types,
        instructions,
        devices=lie if any(lie) else (),
        in_runs=in_runs if any(in_runs) else (),
    )
    return Group(node, program, program, inputs, tuple([member for member, _ in computed]))


def _instructions(
    computed: Sequence[tuple[Node, int]],
    groups: Mapping[Node, Sequence[Node]],
    inputs: Sequence[Node],
    devices: Mapping[Node, BlockFormat],
    parts: Mapping[Node, int],
) -> tuple[Instruction, ...]:
    """How the members that are computed, each with a group of formulas, are made of others.

    Sources that are read in parts are there with the number of each, which `parts` have of it.
    """
    number = {x: i for i, x in enumerate([*[(x, -1) for x in inputs], *computed])}
    instructions: list[Instruction] = []
    for member, _ in computed:
        group = groups[member]
        operator, sources = inlined(group) if len(group) > 1 else (member.operator, member.inputs)
        part = parts.get(member, -1)
        instructions.append(
            Instruction(
                operator,
                tuple(number[x, part] for x in sources),
                tuple(x.type for x in sources),
                member.type,
                member.line,
                devices.get(member),
            )
        )
    return tuple(instructions)


def devices_of(members: Sequence[Node]) -> dict[Node, BlockFormat]:
    """The devices that compute members of a step, inputs first; those on the host are not there.

    What follows from coordinates alone is computed where all of the step that read it are, and so
    are parts of what is stored, which then is read to the device itself.
    """
    devices = {m: own for m in members if (own := device_of(m)) is not None}
    if not devices:
        return devices
    free: set[Node] = set()
    readers: dict[Node, list[Node]] = defaultdict(list)
    for member in members:
        if not isinstance(member.operator, Source) and free.issuperset(member.inputs):
            free.add(member)
        for x in member.inputs:
            readers[x].append(member)
    for member in reversed(members):
        where = {devices.get(r) for r in readers[member]}
        only = where.pop() if len(where) == 1 else None
        if only is None or member in devices:
            continue
        if member in free or _is_part_of_stored(member, only):
            devices[member] = only
    return devices


def _is_part_of_stored(node: Node, device: BlockFormat) -> bool:
    """Whether a view shows cells of a source, each once and all between, and a device can.

    Then no more of them go there than if the host had shown them.
    """
    if not node.operator.is_view or not isinstance(node.inputs[0].operator, Source):
        return False
    mapped = node.operator.cell_map(node.input_types)
    dtype, kernel = node.type.dtype, node.operator.kernel
    if mapped is None or lacking(device.kind, kernel, [dtype], dtype):
        return False
    steps = [[abs(step) for step in row] for row in mapped.matrix]
    columns = zip(*steps, strict=True)
    return all(sum(row) <= 1 for row in steps) and all(sum(column) == 1 for column in columns)


def inputs_of(members: Sequence[Node]) -> tuple[Node, ...]:
    """The nodes that `members` read and that are none of them."""
    inside = set(members)
    return tuple(dict.fromkeys(x for m in members for x in m.inputs if x not in inside))


def members_of(node: Node, held: Collection[Node]) -> list[Node]:
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
