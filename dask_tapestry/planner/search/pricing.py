"""Pricing: groups, grids and costs, each computed once while a plan is searched."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace
from functools import cache, cached_property, partial
from typing import NamedTuple

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.planner.access.blocks_together import Beside
from dask_tapestry.planner.cost.cost import Needing, StepCost, step_cost
from dask_tapestry.planner.cost.footprint import least_needs, least_touched, needs_of
from dask_tapestry.planner.cost.lower_bounds import LowerBound
from dask_tapestry.planner.cost.rank import Rank, machine_for, rank
from dask_tapestry.planner.cost.step import USUAL, Lying, lying
from dask_tapestry.planner.cost.typical_blocks import largest_block, typical_blocks
from dask_tapestry.planner.fusion.fuse import held_values
from dask_tapestry.planner.fusion.group import Group, group_of
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.search.alike import are_near, extents, likeness
from dask_tapestry.planner.search.grid import Grid, GridSearch, RankedGrid, uncut, uncut_if_short
from dask_tapestry.planner.search.known_groups import KnownGroup
from dask_tapestry.planner.search.tuning import LEAST_COSTS_A_COST, SHORT_PROGRAM
from dask_tapestry.steps.access_strides import movement
from dask_tapestry.steps.chunk_alignment import units
from dask_tapestry.steps.program import Program
from dask_tapestry.steps.streaming import may_stream
from dask_tapestry.teg import Graph, Node
from dask_tapestry.zspace import Cuts

Cut = tuple[tuple[Cuts, ...] | None, ...]


@dataclass(frozen=True)
class PricedGroup:
    """A group under a grid.

    Attributes
    ----------
    group, grid, held
        What is computed, how it is cut, and how its inputs are held.
    cost
        What that takes.
    limits
        What it may take.
    place
        Where alone it is computed; "" for anywhere.
    second
        The next best grid, where several were compared.
    coarser
        The best one of fewer blocks.
    beside, home
        Which inputs lie on the same workers, and the value beside whose blocks its own lie.
    """

    group: Group
    grid: Grid
    held: Cut
    cost: StepCost
    limits: Limits
    place: str = ""
    second: Grid | None = None
    coarser: Grid | None = None
    beside: Beside = ()
    home: Node | None = None

    @cached_property
    def rank(self) -> Rank:
        """Its place among others."""
        return rank(self.cost, self.limits)

    def on(self, machine: Machine) -> Machine:
        """The machine that computes it, of all that there is."""
        return machine_for(self.cost, self.limits, machine.at(self.place).on(self.group.device))


class AskedStep(NamedTuple):
    """A step as it was asked for last.

    Attributes
    ----------
    asked, priced
        Its grid and place, if these were asked, and beside what its inputs lay; what was found.
    """

    asked: tuple[Grid | None, str | None, tuple[Node, ...]]
    priced: PricedGroup

    def is_of(self, group: Group, held: Cut, asked: tuple[object, ...]) -> bool:
        """Whether the same is asked again."""
        return self.priced.group is group and self.priced.held == held and self.asked == asked


class Pricing:
    """Groups, grids and costs for one machine, remembered.

    Programs that differ in their data alone are priced once, whatever they stand for: the layers of
    a deep network are one, and the variables of a Dataset.

    Parameters
    ----------
    machine, limits
        What there is, and what blocks may take of it.
    other
        With other limits for the same machine: what was computed for it is known here.

    Attributes
    ----------
    asked
        The steps of the last plans: most of the next one's are the same.
    """

    def __init__(self, machine: Machine, limits: Limits, other: Pricing | None = None) -> None:
        self.machine, self.limits, self._other = machine, limits, other
        self.asked: dict[Node, AskedStep] = {}
        self._piece_bytes = machine.piece_bytes  # of all places: their groups are the same
        self._spent = [0]  # costs computed, at all places
        self._places: dict[str, Pricing] = {}
        self._groups: dict[Node, list[KnownGroup]] = {}
        self._held: dict[tuple[Graph, frozenset[Node], frozenset[Node]], frozenset[Node]] = {}
        self._within: dict[int, tuple[frozenset[Node], dict[Node, Group]]] = {}  # by sets held
        self._programs: dict[Program, Program] = {}
        self._costs: dict[tuple[object, ...], StepCost] = {}
        self._least: dict[tuple[object, ...], StepCost] = {}
        if other is not None:
            self._groups, self._programs = other._groups, other._programs
            self._held, self._within, self._least = other._held, other._within, other._least
            alike = (other.limits.handy, other.limits.alone) == (limits.handy, limits.alone)
            self._costs = other._costs if alike else self._costs
        self._best: dict[tuple[object, ...], RankedGrid] = {}
        self._alike: dict[tuple[object, ...], list[tuple[tuple[int, ...], RankedGrid]]] = {}

    @property
    def evaluated(self) -> int:
        """Costs computed: what a search is allowed to spend."""
        return self._spent[0]

    @evaluated.setter
    def evaluated(self, count: int) -> None:
        self._spent[0] = count

    def at(self, place: str) -> Pricing:
        """The pricing for a group of workers, with its machine and memory; this one for ""."""
        return self._of(place, self.machine.at(place)) if place else self

    def on(self, device: str) -> Pricing:
        """The pricing for a device inside the workers; this one for ""."""
        return self._of(f"on {device}", self.machine.on(device)) if device else self

    @property
    def in_slices(self) -> Pricing:
        """The pricing in which nothing is exchanged in bulk: this one where nothing can be."""
        return self._of("in slices", self.machine.in_slices) if self.machine.in_bulk else self

    def _of(self, name: str, machine: Machine) -> Pricing:
        """The pricing for a part of the machine, remembered by a name."""
        pricing = self._places.get(name)
        if pricing is None:
            share = machine.task_bytes / self.machine.task_bytes
            limits = self.limits.scaled(share, machine.usable)
            other = None if self._other is None else self._other._of(name, machine)
            pricing = self._places[name] = Pricing(machine, limits, other)
            pricing._groups, pricing._programs = self._groups, self._programs
            pricing._spent, pricing._piece_bytes = self._spent, self._piece_bytes
        return pricing

    @property
    def memory(self) -> int:
        """Bytes of memory of all workers."""
        return self.machine.workers * self.machine.memory_limit

    def held(self, graph: Graph, extra: frozenset[Node], fused: frozenset[Node]) -> frozenset[Node]:
        """The nodes of a graph that are held, with some `extra` ones and but for `fused` ones.

        One set for one question: most plans that a search compares differ in grids alone.
        """
        key = graph, extra, fused
        nodes = self._held.get(key)
        if nodes is None:
            local = self.machine.local
            nodes = self._held[key] = frozenset(
                held_values(graph, self.memory, extra, fused, local)
            )
        return nodes

    def group(self, node: Node, held: Set[Node]) -> Group:
        """What computes `node` from what is held."""
        if not isinstance(held, frozenset):
            return self._group(node, held)
        known = self._within.get(id(held))
        if known is None or known[0] is not held:
            known = self._within[id(held)] = held, {}
        groups = known[1]
        if node not in groups:
            groups[node] = self._group(node, held)
        return groups[node]

    def _group(self, node: Node, held: Set[Node]) -> Group:
        """The group of a node, followed anew only where other nodes of it or behind it are held."""
        known = self._groups.setdefault(node, [])
        for one in reversed(known):
            if one.is_computed_from(held):
                return one.group
        made = group_of(node, held).in_pieces_of(self._piece_bytes)
        program = self._programs.setdefault(made.own.without_data, made.own)
        made.own.share(program)
        known.append(KnownGroup.of(replace(made, program=program), held))
        return known[-1].group

    def best(
        self,
        group: Group,
        held: Cut,
        is_too_much: Callable[[Rank], bool] | None = None,
        beside: Beside = (),
    ) -> PricedGroup:
        """The group under its best grid, or the fixed one of its value.

        What it takes at least, if that `is_too_much`.
        """
        node, program = group.node, group.program
        if node.operator.layout is not None:
            return self.under(group, node.operator.layout, held, beside)
        lies = lying(node, group.inputs, beside)
        key = id(program), held, lies
        found = self._best.get(key)
        if found is None:
            last = self.asked.get(node)
            begun = last.priced.grid if last else None
            found = self._known(program, key)
            found = found or self._search(program, held, lies, is_too_much, begun)
            if not found.is_least:
                self._best[key] = found
        limits, place = self._limits_of(program), self.machine.place
        others = found.second, found.coarser
        return PricedGroup(group, found.grid, held, found.cost, limits, place, *others, beside)

    def _known(self, program: Program, key: tuple[object, ...]) -> RankedGrid | None:
        """The best grid where blocks may take more, if it is allowed here: then it is best here."""
        found = self._other and self._other._best.get(key)
        return found if found and rank(found.cost, self._limits_of(program)).is_allowed else None

    def _search(
        self,
        program: Program,
        held: Cut,
        lies: Lying,
        is_too_much: Callable[[Rank], bool] | None = None,
        begun: Grid | None = None,
    ) -> RankedGrid:
        """The best grid of a program: one block if it is short, or by that of one that is alike.

        It is looked for near the grid that the step had last, too: with that the search is `begun`.
        """
        price, limits = partial(self.cost, program, held=held, lies=lies), self._limits_of(program)
        if short := uncut_if_short(program, price, limits):
            return short
        size, kind = extents(program, held), (likeness(program), lies.order)
        known = self._alike.setdefault(kind, [])
        near = next((found.grid for other, found in known if are_near(size, other)), None)
        search = self._grid_search(program, held, lies, may_stream(program, program.type.box))
        found = search.best(self._pushed(program, held), near, is_too_much, begun)
        if near is None and not found.is_least:
            known.append((size, found))
        return found

    def _pushed(self, program: Program, held: Cut) -> list[Grid]:
        """Grids whose blocks read the blocks in which inputs are held."""
        moves = movement(program) if any(held) else ()
        return [
            m.pushed(program.type.shape, own) for m, own in zip(moves, held, strict=False) if own
        ]

    def _grid_search(self, program: Program, held: Cut, lies: Lying, guided: bool) -> GridSearch:
        """The search for a program's grid, led by what grids take at least if it is `guided`."""
        shape = program.type.shape
        dims = range(len(shape))[:: 1 if lies.order == "C" else -1]
        least = cache(partial(LowerBound.of, program, self.machine))

        def cost(grid: Grid) -> StepCost:
            return self.cost(program, grid, held, lies)

        return GridSearch(
            shape,
            units(program, held),
            (lambda grid: self._guiding_cost(program, grid, held, lies)) if guided else cost,
            self._limits_of(program),
            dims,
            self.machine.slots,
            lambda grid, enough: least().seconds(grid, held, self.machine, enough, lies.beside),
            self.machine.workers,
            confirm=cost if guided else None,
        )

    def allows(self, group: Group, grid: Grid, held: Cut) -> bool:
        """Whether a grid cuts nothing that a group computes or writes as a whole."""
        if group.node.operator.layout is not None:
            return grid == group.node.operator.layout
        if all(cuts.count == 1 for cuts in grid):
            return True
        found = zip(units(group.program, held), grid, strict=True)
        return all(unit.allows(cuts) for unit, cuts in found)

    def under(self, group: Group, grid: Grid, held: Cut, beside: Beside = ()) -> PricedGroup:
        """The group under a given grid."""
        cost = self.cost(group.program, grid, held, lying(group.node, group.inputs, beside))
        limits, place = self._limits_of(group.program), self.machine.place
        return PricedGroup(group, grid, held, cost, limits, place, beside=beside)

    def _limits_of(self, program: Program) -> Limits:
        """The limits of a step: blocks that read stores cannot be as small as one wishes."""
        if self.limits.block is None:
            return self.limits
        return self.limits.with_least(least_touched(program))

    def cost(self, program: Program, grid: Grid, held: Cut, lies: Lying = USUAL) -> StepCost:
        """Cost of a program under a grid, on arrays that lie so."""
        key = id(program), grid, held, lies
        step_cost = self._costs.get(key)
        if step_cost is None:
            self.evaluated += costs_of(program) * len(typical_blocks(program, grid))
            step_cost = self._step_cost(program, grid, held, lies, self.machine)
            machine = machine_for(step_cost, self.limits, self.machine)
            if machine is not self.machine:
                step_cost = self._step_cost(program, grid, held, lies, machine)
            self._costs[key] = step_cost
        return step_cost

    def uncut_cost(self, priced: PricedGroup) -> StepCost:
        """The cost of a step in one block, which reads every cell once."""
        program = priced.group.program
        return self.on(priced.group.device).cost(program, uncut(program.type.shape), priced.held)

    def _guiding_cost(self, program: Program, grid: Grid, held: Cut, lies: Lying) -> StepCost:
        """What a step takes at least where its blocks are computed in turns; else its cost."""
        if not may_stream(program, largest_block(program, grid)):
            return self.cost(program, grid, held, lies)
        return self._least_cost(program, grid, held, lies)

    def _least_cost(self, program: Program, grid: Grid, held: Cut, lies: Lying) -> StepCost:
        """What a program takes at least under a grid."""
        key = id(program), grid, held, lies
        least = self._least.get(key)
        if least is None:
            blocks = len(typical_blocks(program, grid))
            self.evaluated += -(-costs_of(program) * blocks // LEAST_COSTS_A_COST)
            least = self._step_cost(program, grid, held, lies, self.machine, least_needs)
            self._least[key] = least
        return least

    def _step_cost(
        self,
        program: Program,
        grid: Grid,
        held: Cut,
        lies: Lying,
        machine: Machine,
        needing: Needing = needs_of,
    ) -> StepCost:
        handy, (order, beside) = self.limits.handy, lies
        return step_cost(program, grid, held, machine, handy, order, needing, beside)


def costs_of(program: Program) -> int:
    """Costs that the cost of a program counts for: it takes as long as those of so many steps."""
    return 1 + len(program.instructions) // SHORT_PROGRAM
