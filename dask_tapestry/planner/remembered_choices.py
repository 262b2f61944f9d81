"""Remembered choices: a plan that was only looked at hands its choices to the run of its arrays.

``p = dt.plan(x)`` is often followed by ``x.compute()``. The search is not repeated then: its
choices are kept by the places of nodes in the rewritten graph, without any data, and what they lead
to is evaluated again. The frontier is not kept, so whoever looks at a plan has one of his own.
"""

from __future__ import annotations

from collections import OrderedDict
from operator import is_
from threading import Lock
from typing import Any, Final, NamedTuple

from dask_tapestry.planner.machine.calibrate import rates_in_force
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.machine.resources import Resources
from dask_tapestry.planner.rewriting.rule_choices import formed
from dask_tapestry.planner.search.choices import Choices, FormChoice
from dask_tapestry.planner.search.evaluate import evaluate
from dask_tapestry.planner.search.grid import Grid
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.planner.search.pricing import Pricing
from dask_tapestry.planner.search.search import SearchResult
from dask_tapestry.planner.tuning import CHOICES_REMEMBERED
from dask_tapestry.rewrite.user_rules import mutators_in_force, rules_in_force
from dask_tapestry.settings import of_dask
from dask_tapestry.teg import Graph, Node, Sink, Source

NO_TEXT: Final = ("resources", "rules", "mutators")
FIXED: Final = (str, int, float, type(None))

__all__ = [
    "FoundChoices",
    "choices_of",
    "fits",
    "planned_as",
    "recalled",
    "remember",
    "settings_in_force",
]


class FoundChoices(NamedTuple):
    """What was found for a graph, by the numbers of nodes.

    Attributes
    ----------
    forms
        Those that nodes of the graph have taken.
    steps
        Of the graph in these forms: what is held, how it is cut, and where it is computed.
    limits
        Of its tasks.
    given_up
        Whether that is no plan to take, as another graph has a better one.
    """

    forms: tuple[tuple[int, tuple[FormChoice, ...]], ...]
    steps: tuple[tuple[int, Grid, str], ...]
    limits: Limits
    given_up: bool = False


_known: OrderedDict[Any, FoundChoices] = OrderedDict()
_lock = Lock()


def remember(graph: Graph, resources: Resources, result: SearchResult) -> None:
    """Keep what was found for a rewritten graph."""
    found = choices_of(graph, result)
    if found is None:
        return
    key = _key(graph, resources)
    with _lock:
        _known[key] = found
        while len(_known) > CHOICES_REMEMBERED:
            _known.popitem(last=False)


def choices_of(graph: Graph, result: SearchResult) -> FoundChoices | None:
    """The choices for a rewritten graph, by the numbers of nodes; None if nothing was searched."""
    state = result.state
    if result.limits is None or not state.placed:
        return None
    number = {node: at for at, node in enumerate(graph.nodes)}
    places = {node: at for at, node in enumerate(state.graph.nodes)}
    forms = tuple([(number[n], tuple(taken)) for n, taken in state.choices.forms.items()])
    steps = tuple([(places[n], one.grid, one.place) for n, one in state.placed.items()])
    return FoundChoices(forms, steps, result.limits, result.given_up)


def recalled(graph: Graph, resources: Resources) -> SearchResult | None:
    """What was found for a graph that differs from this one in its data alone; None if nothing."""
    if not _known:
        return None
    with _lock:
        remembered = _known.get(_key(graph, resources))
    return None if remembered is None else planned_as(graph, resources, remembered)


def planned_as(graph: Graph, resources: Resources, found: FoundChoices) -> SearchResult | None:
    """The plan with choices that were found for such a graph; None if it cannot be cut so."""
    forms = {graph.nodes[at]: taken for at, taken in found.forms}
    in_forms = formed(graph, forms)[0] if forms else graph
    grids = {in_forms.nodes[at]: grid for at, grid, _ in found.steps}
    if any(node.type.shape != tuple([c.extent for c in g]) for node, g in grids.items()):
        return None
    choices = Choices(
        forms,
        held=frozenset(grids),
        fused=frozenset([node for node in in_forms.nodes if node not in grids]),
        grids=grids,
        places={in_forms.nodes[at]: place for at, _, place in found.steps if place},
    )
    state = evaluate(in_forms, choices, Pricing(Machine.of(resources), found.limits))
    same = {node: priced.grid for node, priced in state.placed.items()} == grids
    given_up = found.given_up
    return SearchResult(state, limits=found.limits, given_up=given_up) if same else None


def fits(graph: Graph, resources: Resources, result: SearchResult) -> bool:
    """Whether workers can hold a plan of a graph, as it was found or is known."""
    if result.state.shortfall or result.limits is None:
        return False
    pricing = Pricing(Machine.of(resources), result.limits)
    return PlanEvaluator(graph, pricing, resources).fits_at_worst(result.state)


def settings_in_force() -> tuple[object, ...]:
    """All settings except the resources, which a key has separately.

    Own rules and mutators are compared as objects, which the key keeps alive: their texts hold
    addresses, which another rule has once the first one is gone.
    """
    plain = _plain_text(of_dask("tapestry"))
    fuse = of_dask("optimization.annotations.fuse")
    return plain, fuse, rules_in_force(), mutators_in_force()


def _plain_text(settings: dict[str, object]) -> str:
    """The settings that have a text; written again where one of them is another object."""
    known = _written[0] if _written else None
    if known is not None and known.holds_for(settings):
        return known.text
    plain = {k: v for k, v in settings.items() if k not in NO_TEXT}
    text = repr(plain)
    if all(isinstance(value, FIXED) for value in plain.values()):
        _written[:] = [_WrittenSettings(tuple(settings), tuple(settings.values()), text)]
    return text


class _WrittenSettings(NamedTuple):
    """Settings none of which can change but for another one, and the text of the plain ones."""

    names: tuple[str, ...]
    values: tuple[object, ...]
    text: str

    def holds_for(self, settings: dict[str, object]) -> bool:
        same = len(settings) == len(self.values) and all(map(is_, settings.values(), self.values))
        return same and tuple(settings) == self.names


_written: list[_WrittenSettings] = []  # those that were met last


def _key(graph: Graph, resources: Resources) -> tuple[object, ...]:
    """What a search depends on: not on data and places, nor on lines."""
    number = {node: at for at, node in enumerate(graph.nodes)}
    rows = [
        (
            _form(node, at),
            *[number[x] for x in node.inputs],
            tuple([number[x] for x in node.after]) if node.after else (),
            node.annotations.text,
        )
        for at, node in enumerate(graph.nodes)
    ]
    roots = tuple([number[root] for root in graph.roots])
    return tuple(rows), roots, resources, rates_in_force(), settings_in_force()


def _form(node: Node, number: int) -> object:
    """A node's operator, or the slot that stands for it."""
    operator = node.operator
    if isinstance(operator, Source | Sink):
        return operator.slot(number) or node.form
    return node.form
