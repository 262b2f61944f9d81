"""Planning: from the graph the user wrote to verified steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dask_tapestry.plan.choices import State
from dask_tapestry.plan.choosing import choosing
from dask_tapestry.plan.machine import Machine
from dask_tapestry.plan.passes import rewritten
from dask_tapestry.plan.plan import Plan
from dask_tapestry.plan.resources import Resources, current
from dask_tapestry.plan.rule_choices import with_forms
from dask_tapestry.plan.search import search, steps_of
from dask_tapestry.plan.step import with_first
from dask_tapestry.rewrite.trace import Trace
from dask_tapestry.rules.effects import followed_points, keep_effects
from dask_tapestry.teg import Graph, Node, Sink
from dask_tapestry.teg.check import check, writes_that_meet_are_ordered

METHODS = ("auto", "none")


def build_plan(
    roots: Sequence[Node], resources: Resources | None = None, method: str = "auto"
) -> Plan:
    """Plan the values `roots` together.

    Parameters
    ----------
    resources
        What to plan for; by default what is configured, live, or this machine.
    method
        ``"auto"``, or ``"none"``: one block an operator.

    Raises
    ------
    ConstraintError
        If two writes meet in a stored piece and neither follows the other.
    MemoryLimitError
        If a block cannot be made small enough.
    """
    if method not in METHODS:
        raise ValueError(f"method {method!r}: there are {METHODS}")
    machines = resources or current()
    return plan_as_found(roots, machines, lambda graph: search(graph, machines, method))


def plan_as_found(
    roots: Sequence[Node], machines: Resources, find: Callable[[Graph], State]
) -> Plan:
    """Plan the values `roots` for `machines`, with the choices that `find` makes for a graph.

    The graph that it is given is rewritten, and in no forms.
    """
    trace = Trace()
    written = Graph(roots)
    if any(isinstance(node.operator, Sink) for node in written):
        check(written, (writes_that_meet_are_ordered,))
    points = followed_points(written)
    graph = Graph([*written.roots, *points]) if points else written
    graph = keep_effects(written, points, rewritten(graph, trace), trace)
    graph, state = choosing(graph, find, trace)
    with_forms(graph, state.choices.forms, trace)
    steps = with_first(steps_of(state, Machine.of(machines)))
    return Plan(written, state.graph, steps, machines, trace, choices=state.choices)
