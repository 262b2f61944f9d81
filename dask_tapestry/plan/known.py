"""Plans made before: what was planned for some arrays serves others of their types.

A plan depends on what an array in memory is, not on its cells. So the graph is planned with open
sources in the arrays' places, and the plan kept for the next graph that differs in its arrays
alone: the next batch of a loop, or the same line run again. Planning a formula takes a millisecond,
ten steps of a stencil 28; finding the plan again takes .1 and .4.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Any, Final, NamedTuple

import dask.config

from dask_tapestry.io.memory import MemorySource, OpenSource
from dask_tapestry.plan.build import build_plan
from dask_tapestry.plan.plan import Plan
from dask_tapestry.plan.resources import current
from dask_tapestry.teg import Graph, Node, Sink, Source, apply
from dask_tapestry.teg.node import reapply, topological

KEPT: Final = 64  # plans

_known: OrderedDict[Any, Plan] = OrderedDict()
_lock = Lock()


def plan_of(roots: Sequence[Node]) -> Plan:
    """Plan the values `roots` together for the resources in force, or find the plan made before."""
    resources = current()
    form = _form(roots)
    if form is None:
        return build_plan(roots, resources)
    key = form.key, resources, repr(dask.config.get("tapestry"))
    with _lock:
        plan = _known.get(key)
        if plan is not None:
            _known.move_to_end(key)
    if plan is None:
        plan = build_plan(_opened(form.order, roots), resources)
        plan.verify()
        with _lock:
            _known[key] = plan
            while len(_known) > KEPT:
                _known.popitem(last=False)
    return plan.closed(Graph(roots), form.sources)


class _Form(NamedTuple):
    """What graphs have in common that differ in their arrays alone; and the arrays."""

    key: tuple[Any, ...]
    order: list[Node]
    sources: list[Node]


def _form(roots: Sequence[Node]) -> _Form | None:
    """The form of what `roots` need; None where a plan depends on more than that."""
    order = topological(roots)
    number = {node: i for i, node in enumerate(order)}
    sources: list[Node] = []
    rows: list[Any] = []
    for node in order:
        operator = node.operator
        if isinstance(operator, MemorySource):
            sources.append(node)
            rows.append(node.type)
        elif node.after or operator.layout is not None or isinstance(operator, Sink | Source):
            return None
        else:
            rows.append((node.form, *[number[i] for i in node.inputs], node.line))
    return _Form((*rows, *[number[root] for root in roots]), order, sources)


def _opened(order: Sequence[Node], roots: Sequence[Node]) -> list[Node]:
    """`roots` over open sources in the place of arrays."""
    done: dict[Node, Node] = {}
    count = 0
    for node in order:
        if isinstance(node.operator, MemorySource):
            done[node] = apply(OpenSource(count, node.type), line=node.line or "")
            count += 1
        else:
            done[node] = reapply(node, [done[i] for i in node.inputs])
    return [done[root] for root in roots]
