"""Steps: groups of operators that are computed block by block together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from math import prod
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

from dask_tapestry.imports import LateModule
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.access.blocks_together import Beside
from dask_tapestry.planner.cost.cost import StepCost, step_cost
from dask_tapestry.planner.cost.footprint import Needs
from dask_tapestry.planner.cost.group_names import group_name
from dask_tapestry.planner.fusion.fuse import is_read_late
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.steps.chunk_alignment import Held
from dask_tapestry.steps.program import Program
from dask_tapestry.teg import Graph, Node, Sink, Source
from dask_tapestry.teg.token import token
from dask_tapestry.zspace import Cuts, ZRange, block_box

if TYPE_CHECKING:
    from dask_tapestry.planner.cost import exact_costs
else:  # what prices whole plans, which short ones are not
    exact_costs = LateModule("dask_tapestry.planner.cost.exact_costs")


@dataclass(frozen=True)
class Step:
    """A fused group of operators that share one grid and become one Dask layer.

    Attributes
    ----------
    node
        The value it computes, or the sink it writes.
    program, inputs
        What one block takes, and the nodes whose values come from outside the step.
    members
        The node that each instruction of the program computes.
    cuts, held
        How the output and the inputs are cut; None for an input in memory.
    machine
        What it is planned for.
    estimate
        What the step takes, as the search compares it: its `cost` is counted over all blocks.
    needs
        What its largest block takes.
    next_best
        The next best cuts, where several were compared.
    handy
        Bytes of a block's memory that lies ready.
    beside
        Which inputs lie on the same workers.
    name
        Of the Dask layer: letters, then a digest of the value, the cuts and all it stands on.
    first
        Sinks whose stores are made ready before this step, which reads no other step, starts. Sinks
        wait for their stores; if reads did not wait too, Dask would order all reads before the
        first write, and hold what they read.
    """

    node: Node
    program: Program
    inputs: tuple[Node, ...]
    members: tuple[Node, ...]
    cuts: tuple[Cuts, ...]
    held: Held
    machine: Machine
    estimate: StepCost
    needs: Needs
    name: str
    first: tuple[Node, ...] = ()
    next_best: tuple[Cuts, ...] | None = None
    handy: int = 0
    beside: Beside = ()

    @cached_property
    def second(self) -> tuple[tuple[Cuts, ...], StepCost] | None:
        """The next best cuts, with their estimate, where several were compared."""
        if self.next_best is None:
            return None
        order = memory_order(self.node, self.inputs)
        return self.next_best, step_cost(
            self.program,
            self.next_best,
            self.held,
            self.machine,
            self.handy,
            order,
            beside=self.beside,
        )

    @cached_property
    def cost(self) -> StepCost:
        """What the step takes."""
        return exact_costs.counted_cost(
            self.estimate, self.program, self.cuts, self.held, self.machine, self.beside
        )

    @property
    def moved_within_hosts(self) -> float:
        """Bytes that workers take from others of their host, among those that are moved."""
        return self.machine.within_hosts * self.cost.moved

    @property
    def is_asked(self) -> bool:
        """Whether the user said how it is cut; not of tiles that a form of an operator has."""
        operator = self.node.operator
        return operator.layout is not None and not operator.reads_parts

    @property
    def reason(self) -> str:
        """Why it is cut so: the resource that takes most seconds."""
        if self.is_asked:
            return "as the user asked"
        return "one block suffices" if self.count == 1 else self.estimate.bound

    @cached_property
    def after(self) -> tuple[Node, ...]:
        """The sequence points that all its blocks follow."""
        late = [m for m in self.members if m is not self.node and is_read_late(m)]
        return tuple(dict.fromkeys([*self.node.after, *[a for m in late for a in m.after]]))

    @property
    def place(self) -> str:
        """Which workers alone compute it; "" for any."""
        return self.machine.place

    @cached_property
    def grid_shape(self) -> tuple[int, ...]:
        """Number of blocks along each dimension."""
        return tuple(c.count for c in self.cuts)

    @cached_property
    def count(self) -> int:
        """Number of blocks."""
        return prod(self.grid_shape)

    @cached_property
    def block_bytes(self) -> int:
        """Bytes of the cells of its largest block."""
        return self.node.type.dtype.itemsize * prod([c.longest for c in self.cuts])

    def box(self, index: tuple[int, ...]) -> ZRange:
        """Box of the block at `index` of the grid."""
        return block_box(self.cuts, index)


class PlannedSteps(Protocol):
    """What cost and checks read of a plan: steps, producers first, and what they were cut for."""

    @property
    def steps(self) -> Mapping[Node, Step]:
        """Steps by the node they compute."""

    @property
    def graph(self) -> Graph:
        """The rewritten graph; its roots are the results."""

    @property
    def resources(self) -> Resources:
        """The workers that run the steps."""


def memory_order(node: Node, inputs: Sequence[Node]) -> Literal["C", "F"]:
    """Memory order of a value: "F" if all its inputs of its shape are arrays in that order.

    NumPy's ufuncs do the same; then cells are read and written in one order.
    """
    alike = [x.operator for x in inputs if x.type.shape == node.type.shape]
    along = bool(alike) and all(isinstance(o, Source) and o.order == "F" for o in alike)
    return "F" if along else "C"


class Lying(NamedTuple):
    """In which order arrays lie in memory, and which inputs lie on the same workers."""

    order: Literal["C", "F"] = "C"
    beside: Beside = ()


USUAL: Final = Lying()


def lying(node: Node, inputs: Sequence[Node], beside: Beside) -> Lying:
    """How the arrays of a step lie."""
    return Lying(memory_order(node, inputs), beside)


def step_name(
    node: Node, cuts: tuple[Cuts, ...], inputs: tuple[str, ...], members: Sequence[Node] = ()
) -> str:
    """Name of a step; another grid or expansion upstream gives another name.

    It begins with the word of what is computed, as Dask's arrays name it.
    """
    text = " ".join((node.digest, token(cuts), *inputs))
    return f"{group_name(node, members)}-{blake2b(text.encode(), digest_size=12).hexdigest()}"


def with_first(steps: dict[Node, Step], salt: str = "") -> dict[Node, Step]:
    """The steps with their `first`, and with names that depend on it.

    `salt` makes the names of one compute unique, as its blocks go into a buffer of its own.
    """
    sinks_after: dict[Node, set[Node]] = {}
    for node in reversed(steps):
        if isinstance(node.operator, Sink) and not steps[node].after:
            sinks_after.setdefault(node, set()).add(node)
        for x in steps[node].inputs:
            sinks_after.setdefault(x, set()).update(sinks_after.get(node, ()))
    named: dict[Node, Step] = {}
    for node, step in steps.items():
        reads_blocks = any(x in steps or x.operator.layout is not None for x in step.inputs)
        sinks = (
            () if reads_blocks else tuple(sorted(sinks_after.get(node, ()), key=lambda n: n.digest))
        )
        names = [named[x].name if x in named else x.digest for x in step.inputs]
        stands_on = (*names, *[sink.digest for sink in sinks], salt)
        name = step_name(node, step.cuts, stands_on, step.members)
        named[node] = replace(step, name=name, first=sinks)
    return named
