"""Plans as JSON: the choices that make a plan, by which it is made again without a search.

A file has the version of its form, the resources, digests of the graph as written and as rewritten,
the forms that operators took, and of each step the node that it computes and its grid. Nodes are
named by their places in a graph's order. Costs are there to be read; they are computed anew. Beside
them is what is told of the plan, its graph as data: `diagnostics.told_form` reads that.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, fields, replace
from itertools import pairwise
from typing import Any, Final

from dask_tapestry.errors import PlanError, TapestryError
from dask_tapestry.json_form import (
    FormError,
    anything,
    listed,
    optional,
    record,
    refuse,
    sequence,
    whole,
)
from dask_tapestry.json_form import text as text_form
from dask_tapestry.planner.build import build_plan
from dask_tapestry.planner.cost.step import Step, with_first
from dask_tapestry.planner.graph_digest import digest
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.rates import Rates
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.planner.rewriting.rule_choices import with_forms
from dask_tapestry.planner.search.choices import Choices, FormChoice
from dask_tapestry.planner.search.evaluate import evaluate
from dask_tapestry.planner.search.pricing import Pricing
from dask_tapestry.planner.search.rule_selection import Taken, with_taken
from dask_tapestry.planner.search.search import steps_of
from dask_tapestry.planner.searched_graph import searched_graph
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.teg import Graph, Node
from dask_tapestry.teg.node import written_as
from dask_tapestry.zspace import Cuts

VERSION: Final = 5  # of the file's form
# Version 2 has no graph as data, version 3 nothing that was taken, version 4 no parts of forms
READ: Final = (2, 3, 4, VERSION)
KIND: Final = "dask_tapestry plan"


def dumps(plan: PlannedGraph, summary: Mapping[str, Any] | None = None) -> str:
    """A plan as text, with its summary for readers who lack its arrays.

    A plan that was found again names its choices by slots: it is planned again for the arrays.
    """
    if plan.sources:
        plan = build_plan(plan.written.roots, plan.resources)
    graph = searched_graph(plan.written, plan.resources, Trace())
    chosen = graph
    for choice in plan.taken:
        chosen = with_taken(chosen, choice)
    position = {node: i for i, node in enumerate(chosen.nodes)}
    number = {node: i for i, node in enumerate(plan.graph.nodes)}
    content = {
        "kind": KIND,
        "version": VERSION,
        "resources": _resources(plan.resources),
        "written": digest(plan.written),
        "rewritten": digest(graph),
        "results": _results(plan.written),
        "taken": [list(map(list, choice)) for choice in plan.taken],
        "forms": [[position[n], *f] for n, forms in plan.choices.forms.items() for f in forms],
        "steps": [_step(step, number) for step in plan.steps.values()],
        "cost": plan.cost,
        "told": summary,
    }
    return json.dumps(content, indent=1)


def loads(text: str, roots: Sequence[Node], name: str = "the text") -> PlannedGraph:
    """The plan of the values `roots` that `dumps` wrote.

    Parameters
    ----------
    name
        Of the file, for errors.

    Raises
    ------
    PlanError
        If it is not a plan, of another version, or for another graph.
    """
    content = _content(text, name)
    written, trace = Graph(roots), Trace()
    if content["written"] != digest(written):
        raise PlanError(
            f"{name} was made for another graph: its results are {content['results']}, those to be "
            f"planned are {_results(written)}; operators, types and stored chunks must be the same"
        )
    try:
        resources = Resources(**content["resources"])
    except (FormError, TapestryError) as error:
        raise PlanError(f"{name} is damaged: {error}") from error
    graph = searched_graph(written, resources, trace)
    if content["rewritten"] != digest(graph):
        raise PlanError(f"{name} was made by other rules of rewriting: plan again")
    try:
        machine = Machine.of(resources)
        applied = tuple([tuple(map(tuple, one)) for one in content["taken"]])
        with written_as(None):
            for one in applied:
                graph = _with_choices(graph, one, trace)
            forms = _forms(content["forms"], graph)
            formed = with_forms(graph, forms, trace)
        chosen = _choices(content["steps"], formed, forms, {"", *(m.place for m in machine.places)})
    except (FormError, TapestryError) as error:
        raise PlanError(f"{name} is damaged: {error}") from error
    choices, steps = _placed(formed, chosen, resources, name)
    return PlannedGraph(written, formed, steps, resources, trace, taken=applied, choices=choices)


def _with_choices(graph: Graph, taken: Taken, trace: Trace) -> Graph:
    """The graph in the forms that were taken before the search."""
    for at, *_ in taken:
        _node(at, graph, "taken")
    return with_taken(graph, taken, trace)


def _forms(listed: Sequence[Any], graph: Graph) -> dict[Node, tuple[FormChoice, ...]]:
    """The forms that nodes of `graph` take."""
    found: dict[Node, tuple[FormChoice, ...]] = {}
    for i, (number, *form) in enumerate(listed):
        node = _node(number, graph, f"forms[{i}]")
        found[node] = (*found.get(node, ()), FormChoice(*form))
    return found


def _choices(
    steps: Sequence[Mapping[str, Any]],
    graph: Graph,
    forms: dict[Node, tuple[FormChoice, ...]],
    places: Collection[str],
) -> Choices:
    """The grids and places of nodes of `graph`, which has taken `forms`."""
    grids: dict[Node, tuple[Cuts, ...]] = {}
    chosen: dict[Node, str] = {}
    for i, step in enumerate(steps):
        at = f"steps[{i}]"
        node = _node(step["node"], graph, at)
        cuts = tuple(step["grid"])
        extents = tuple(c.extent for c in cuts)
        if extents != node.type.shape:
            raise FormError(f"{at}.grid cuts {extents}, its step computes {node.type}")
        if node in grids:
            raise FormError(f"{at} is of a node that another step computes")
        if step["place"] not in places:
            refuse(step["place"], f"{at}.place", f"one of {sorted(places)}")
        grids[node], chosen[node] = cuts, step["place"]
    return Choices(forms, frozenset(grids), grids=grids, places=chosen)


def _node(number: int, graph: Graph, at: str) -> Node:
    node: Node = graph.nodes[whole(most=len(graph.nodes) - 1)(number, f"{at}: its node")]
    return node


def _placed(
    graph: Graph, chosen: Choices, resources: Resources, name: str
) -> tuple[Choices, dict[Node, Step]]:
    """The steps that compute the nodes of the `chosen` grids, each cut so."""
    machine, grids = Machine.of(resources), chosen.grids
    fused = frozenset(node for node in graph.nodes if node not in grids)
    choices = replace(chosen, fused=fused)
    limits = Limits.of(resources).with_alone(resources)
    state = evaluate(graph, choices, Pricing(machine, limits))
    for node in {**grids, **state.placed}:
        if node not in state.placed or grids.get(node) != state.placed[node].grid:
            raise PlanError(f"{name}: {node!r} cannot be cut as it says: plan again")
    return choices, with_first(steps_of(state, machine))


def _content(text: str, name: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:  # no JSON, or lists in lists without end
        raise PlanError(f"{name} is not a plan: {error}") from None
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise PlanError(f"{name} is not a plan")
    if content.get("version") not in READ:
        raise PlanError(
            f"{name} is a plan of version {str(content.get('version'))[:20]}; this library reads "
            f"versions {READ[0]} to {VERSION}: plan again"
        )
    try:
        found: dict[str, Any] = FORM({"taken": [], **content}, "it")
    except FormError as error:
        raise PlanError(f"{name} is damaged: {error}") from None
    return found


def _results(graph: Graph) -> str:
    return ", ".join(f"{root.operator.name} {root.type}" for root in graph.roots)


def _resources(resources: Resources) -> dict[str, Any]:
    """The arguments that make equal resources."""
    found = {field.name: getattr(resources, field.name) for field in fields(resources)}
    found["groups"] = [list(asdict(group).values()) for group in found["groups"]]
    found["rates"] = resources.rates.as_dict() if isinstance(resources.rates, Rates) else None
    return found


def _step(step: Step, number: Mapping[Node, int]) -> dict[str, Any]:
    """A step: what is needed to make it again, and what is good to know."""
    return {
        "node": number[step.node],
        "grid": [_written(cuts) for cuts in step.cuts],
        "place": step.place,
        "computes": f"{step.node.operator.name} {step.node.type}",
        "seconds": step.cost.seconds,
        "tasks": step.cost.tasks,
    }


def _written(cuts: Cuts) -> list[Any]:
    return [list(cuts.edges)] if cuts.edges else [cuts.extent, cuts.step, cuts.lead]


def _cuts(value: Any, at: str) -> Cuts:
    """The form of cuts as `_written`: their edges, or their extent, step and first length."""
    if isinstance(value, list) and len(value) == 1:
        (edges,) = sequence(listed(whole()))(value, at)
        lengths = [hi - lo for lo, hi in pairwise(edges)]
        if not lengths or edges[0] or min(lengths) < 1:
            refuse(edges, at, "edges of blocks, from 0 on")
        return Cuts(edges[-1], 0, 0, tuple(edges))
    extent, step, lead = sequence(whole(), whole(1), whole(1))(value, at)
    return Cuts.regular(extent, step, lead)


def _form(value: Any, at: str) -> list[Any]:
    """The form of a node's form: the node, name and size, and the part where it is one's."""
    is_older = isinstance(value, list) and len(value) == 3
    told = [*value, 0] if is_older else value
    checked: list[Any] = sequence(whole(), text_form, whole(), whole())(told, at)
    return checked


FORM: Final = record(
    written=text_form,
    rewritten=text_form,
    results=text_form,
    resources=record(
        **{field.name: anything for field in fields(Resources) if field.name != "rates"},
        rates=optional(record(**{field.name: anything for field in fields(Rates)})),
    ),
    taken=listed(listed(sequence(whole(), text_form, whole()))),
    forms=listed(_form),
    steps=listed(record(node=whole(), grid=listed(_cuts), place=text_form)),
)
