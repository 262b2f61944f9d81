"""Choices of rules that may be better, a user's and ours: forms that a search compares.

A rule of the kind ``"choice"`` gives a node another form, as its operator's own forms do: under
the rule's name, in one size. What it makes is rewritten by the other rules, so that it is compared
as it would be computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Final

from dask_tapestry.errors import PlanError
from dask_tapestry.first import first_of
from dask_tapestry.planner.rewriting.exchanged_values import EXCHANGED, exchanged_form
from dask_tapestry.planner.rewriting.form_parts import parts_of, with_part
from dask_tapestry.planner.rewriting.host_parts import HOST, host_form
from dask_tapestry.planner.rewriting.joint_reads import ONE_READ, joint_reads, one_read_form
from dask_tapestry.planner.rewriting.passes import passes
from dask_tapestry.planner.rewriting.relayed_values import RELAYED, relayed_form
from dask_tapestry.planner.rewriting.shared_passes import (
    SHARED,
    FormKey,
    in_order_of_passes,
    pass_form,
    passes_of,
)
from dask_tapestry.rewrite.driver import brief, rebuilt, rewrite
from dask_tapestry.rewrite.rule import Rules
from dask_tapestry.rewrite.trace import FORMS, Trace
from dask_tapestry.rewrite.user_rules import OwnRule, rules_in_force
from dask_tapestry.rules.asked_layouts import LAYOUT_LEFT, leave_layout
from dask_tapestry.rules.effects import following
from dask_tapestry.settings import setting
from dask_tapestry.teg import Form, Graph, Node
from dask_tapestry.teg.node import written_as

ONE_SIZE: Final = (1,)  # a rule has no size


def layout_left_form(_: Node) -> Form:
    """The form in which a value has no layout of its own."""
    return Form(LAYOUT_LEFT, ONE_SIZE, lambda node, _size: leave_layout(node))


OF_ANY_NODE: Final = {
    EXCHANGED: exchanged_form,
    HOST: host_form,
    LAYOUT_LEFT: layout_left_form,
    ONE_READ: one_read_form,
    RELAYED: relayed_form,
}


def forms_of(node: Node, own: Sequence[OwnRule] | None = None) -> tuple[Form, ...]:
    """The forms that a node's operator declares, then those that choices among rules give it.

    Parameters
    ----------
    own
        The user's rules; by default those of the settings.
    """
    return (*node.operator.forms(node.input_types), *choices_of(node, own))


def choices_of(node: Node, own: Sequence[OwnRule] | None = None) -> tuple[Form, ...]:
    """The forms that choices among the user's rules give a node."""
    mine = rules_in_force() if own is None else tuple(own)
    choices = [rule for rule in mine if rule.kind == "choice" and rule.begins_at(node)]
    return tuple(_form(r, mine) for r in choices if _choice_result(node, r, mine) is not node)


def _form(rule: OwnRule, own: tuple[OwnRule, ...]) -> Form:
    def make(node: Node, _: int) -> Node:
        return _choice_result(node, rule, own)

    return Form(rule.__name__, ONE_SIZE, make)


def _choice_result(node: Node, rule: OwnRule, own: tuple[OwnRule, ...]) -> Node:
    """What a choice makes of a node, rewritten; the node itself where it says nothing.

    What the node reads stays as it is. A node that follows sequence points does so in any form.
    """
    with written_as(node):
        result = rule(node)
    if result is None or result is node:
        return node
    known = passes(own, setting("algebra") == "fast")
    simplify = first_of((p for p in known if p.name == "simplify"), "pass of that name")
    assert isinstance(simplify.rules, Rules)
    settled = (*node.inputs, *node.after)
    (root,) = rewrite(Graph([result]), simplify.rules, settled=settled).roots
    return following(root, [node])


def with_forms(
    graph: Graph,
    chosen: Mapping[Node, Sequence[FormKey]],
    trace: Trace | None = None,
    own: Sequence[OwnRule] | None = None,
) -> Graph:
    """The graph whose nodes have taken forms, which a trace records.

    Parameters
    ----------
    chosen
        The forms of each node of `graph` that takes any, each of what the one before made.
    own
        The user's rules; by default those of the settings.

    Raises
    ------
    PlanError
        If a node has no form of that name.
    """
    return formed(graph, chosen, trace, own)[0]


def formed(
    graph: Graph,
    chosen: Mapping[Node, Sequence[FormKey]],
    trace: Trace | None = None,
    own: Sequence[OwnRule] | None = None,
) -> tuple[Graph, dict[Node, Node]]:
    """The graph whose nodes have taken forms, and what each node of `graph` has become."""
    left = {node: tuple(forms) for node, forms in chosen.items() if forms}
    reads = {node: node.inputs for node in left}
    became = {node: node for node in graph.nodes}
    while left:
        now = _next_to_take(left)
        joint = all(form.name == ONE_READ for forms in now.values() for form in forms)
        if joint:
            done = _read_jointly(graph, now, reads, trace)
        else:
            done = _take(graph, now, reads, trace, own)
        graph = Graph([done[root] for root in graph.roots])
        reads = {done[node]: _rewritten(reads[node], done) for node in left}
        later = {node: forms[len(now.get(node, ())) :] for node, forms in left.items()}
        left = {done[node]: forms for node, forms in later.items() if forms}
        became = dict(zip(became, _rewritten(list(became.values()), done), strict=True))
    return graph, became


def _next_to_take(left: Mapping[Node, tuple[FormKey, ...]]) -> dict[Node, tuple[FormKey, ...]]:
    """The forms that are taken now: reads are joined once all else is as it will be.

    Those in tiles of one size at a time, as one may read what others make.
    """
    each = {
        node: tuple(takewhile(lambda one: one.name != ONE_READ, forms))
        for node, forms in left.items()
    }
    others = {node: forms for node, forms in each.items() if forms}
    size = min(forms[0].size for forms in left.values())
    return others or {
        node: tuple(takewhile(lambda one: (one.name, one.size) == (ONE_READ, size), forms))
        for node, forms in left.items()
        if forms[0].size == size
    }


def _read_jointly(
    graph: Graph,
    chosen: Mapping[Node, Sequence[FormKey]],
    reads: Mapping[Node, Sequence[Node]],
    trace: Trace | None,
) -> dict[Node, Node]:
    """What becomes of each node of a graph, of which parts of some are read jointly."""
    sizes = dict[Node, int]()
    for node, forms in chosen.items():
        parts = parts_of(node, reads[node])
        sizes |= {(parts[form.place] if form.place else node): form.size for form in forms}
    joined = joint_reads(sizes)
    rewritten: dict[Node, Node] = {}
    for node in graph.nodes:
        rewritten[node] = joined[node] if node in joined else rebuilt(node, rewritten)
    if trace is not None:
        trace.begin(FORMS, "once")
        for node, now in joined.items():
            trace.record(ONE_READ, node, now, again=partial(_read_jointly_again, sizes))
    return rewritten


def _read_jointly_again(parts: Mapping[Node, int], node: Node) -> Node:
    return joint_reads(parts)[node]


def _rewritten(values: Sequence[Node], done: dict[Node, Node]) -> tuple[Node, ...]:
    """What values become, also those that a form has left out, as a reshape before it."""
    for node in Graph(values).nodes:
        if node not in done:
            done[node] = rebuilt(node, done)
    return tuple([done[x] for x in values])


def _take(
    graph: Graph,
    chosen: Mapping[Node, Sequence[FormKey]],
    reads: Mapping[Node, Sequence[Node]],
    trace: Trace | None,
    own: Sequence[OwnRule] | None,
) -> dict[Node, Node]:
    """What becomes of each node of a graph, of which some take forms.

    Each takes all of its own before any that reads it: the parts of one may be those of another, as
    a median sorts what is sorted beside it, and what that takes is no part of what this one counts.
    """
    if trace is not None:
        trace.begin(FORMS, "once")
    rewritten: dict[Node, Node] = {}
    shared = passes_of(graph, {node: forms[0] for node, forms in chosen.items()})
    for node in in_order_of_passes(graph) if shared else graph.nodes:
        before = rewritten[node] = rebuilt(node, rewritten)
        group = [rebuilt(n, rewritten) for n in shared.get(node, ())]
        inputs = _rewritten(reads[node], rewritten) if node in chosen else ()
        made = list[tuple[Form, int]]()
        for key in chosen.get(node, ()):
            now = rewritten[node]
            if key.name in SHARED:
                form = pass_form(group, key.name, key.size)
            else:
                form = form_of_part(now, key, inputs, own)
            if not min(form.sizes) <= key.size <= max(form.sizes):
                raise PlanError(f"{brief(now)} has no form {form.name!r} of {key.size}")
            rewritten[node] = form.make(now, key.size)
            made.append((form, key.size))
            if trace is not None:
                again = partial(_reapplied_forms, tuple(made))
                trace.record(form.name, before, rewritten[node], again=again)
    return rewritten


def form_of_part(
    node: Node, key: FormKey, reads: Sequence[Node], own: Sequence[OwnRule] | None = None
) -> Form:
    """The form of a node in which it, or a part of what forms before have made of it, takes one.

    Parameters
    ----------
    reads
        What it read before it took any.
    """
    if not key.place:
        return form_named(node, key.name, own)
    parts = parts_of(node, reads)
    if key.place >= len(parts):
        raise PlanError(f"{brief(node)} has no part {key.place}")
    form = form_named(parts[key.place], key.name, own)

    def make(node: Node, size: int) -> Node:
        return with_part(node, reads, key.place, lambda part: form.make(part, size))

    return Form(form.name, form.sizes, make)


def form_named(node: Node, name: str, own: Sequence[OwnRule] | None = None) -> Form:
    """The form of a node that has this name."""
    forms = (OF_ANY_NODE[name](node),) if name in OF_ANY_NODE else forms_of(node, own)
    form = next((f for f in forms if f is not None and f.name == name), None)
    if form is None:
        raise PlanError(f"{brief(node)} has no form {name!r}")
    return form


def _reapplied_forms(forms: Sequence[tuple[Form, int]], node: Node) -> Node:
    for form, size in forms:
        node = form.make(node, size)
    return node
