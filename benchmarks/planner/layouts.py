"""Layouts: a program's plan as it is chosen, and with grids that are forced upon its steps.

Forced is the grid of each step that may have it: so many pieces along the first dimension, along
the last one, or along both. Steps that may not be cut so are cut as the planner does best. Each
such grid is forced upon the graph in the forms that the planner chose, and upon the one without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dask_tapestry.planner.build import build_plan, plan_as_found
from dask_tapestry.planner.cost.rank import Rank
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.evaluate import evaluate
from dask_tapestry.planner.search.form_choice import choose_forms
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.pricing import PricedGroup, Pricing
from dask_tapestry.planner.search.search import SearchResult
from dask_tapestry.steps.chunk_alignment import units
from dask_tapestry.teg import Graph, Node

Pieces = tuple[int, int]  # of the first and of the last dimension
FORCED: dict[str, Pieces] = {
    "uncut": (1, 1),
    "2 rows": (2, 1),
    "4 rows": (4, 1),
    "16 rows": (16, 1),
    "64 rows": (64, 1),
    "256 rows": (256, 1),
    "2 columns": (1, 2),
    "8 columns": (1, 8),
    "32 columns": (1, 32),
    "4 x 4 tiles": (4, 4),
    "12 x 12 tiles": (12, 12),
}
WITHOUT_FORMS = ("2 rows", "16 rows", "8 columns", "4 x 4 tiles")


def layouts(roots: Sequence[Node], resources: Resources) -> Iterator[tuple[str, PlannedGraph]]:
    """The chosen plan, then forced ones that differ from it and from each other."""
    chosen = build_plan(roots, resources)
    seen = {_key(chosen)}
    yield "chosen", chosen
    for name, pieces in FORCED.items():
        for formed in (True, False):
            if not formed and name not in WITHOUT_FORMS:
                continue
            plan = forced(roots, resources, pieces, formed)
            if plan is not None and _key(plan) not in seen:
                seen.add(_key(plan))
                yield name if formed else f"{name}, no forms", plan


def forced(
    roots: Sequence[Node], resources: Resources, pieces: Pieces, formed: bool
) -> PlannedGraph | None:
    """The plan whose steps are cut into so many `pieces`; None if it does not fit."""
    limits = Limits.of(resources)
    pricing = Pricing(Machine.of(resources), limits)

    def find(graph: Graph, _beside: Rank | None = None) -> SearchResult:
        forms = {}
        if formed:
            graph, forms = choose_forms(graph, pricing)
        state = evaluate(graph, Choices(forms=forms), pricing)
        grids = {node: _grid(priced, pieces) for node, priced in state.placed.items()}
        return SearchResult(evaluate(graph, Choices(forms=forms, grids=grids), pricing))

    plan = plan_as_found(roots, resources, find)
    too_large = any(step.cost.work > limits.task for step in plan.steps.values())
    too_many = sum(step.cost.tasks for step in plan.steps.values()) > limits.blocks
    return None if too_large or too_many else plan


def _grid(priced: PricedGroup, pieces: Pieces) -> Grid:
    """A step's value in `pieces`, with cuts where they may be."""
    shape = priced.group.node.type.shape
    first, last = pieces
    wanted = [1] * len(shape)
    if shape:
        wanted[-1] = last
        wanted[0] = first if len(shape) > 1 else first * last
    found = zip(units(priced.group.program, priced.held), shape, wanted, strict=True)
    return tuple(unit.cut(extent, max(1, min(n, extent))) for unit, extent, n in found)


def _key(plan: PlannedGraph) -> tuple[object, ...]:
    return tuple((step.node.digest, step.cuts) for step in plan.steps.values())
