"""Plans made before: of small expressions, whose planning would take longer than their work."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import Final

import dask.config

from dask_tapestry.plan.build import build_plan
from dask_tapestry.plan.plan import Plan
from dask_tapestry.plan.resources import Resources, current
from dask_tapestry.teg import Node, Sink, Source

KEPT: Final = 64  # plans
SMALL: Final = 2**20  # bytes of sources in memory that a kept plan may hold on to

_known: OrderedDict[tuple[tuple[Node, ...], Resources, str], Plan] = OrderedDict()
_lock = Lock()


def plan_of(roots: Sequence[Node]) -> Plan:
    """Plan the values `roots` together for the resources in force, or find the plan made before."""
    key = tuple(roots), current(), repr(dask.config.get("tapestry"))
    with _lock:
        plan = _known.get(key)
        if plan is not None:
            _known.move_to_end(key)
            return plan
    plan = build_plan(roots, key[1])
    if _is_small(plan):
        with _lock:
            _known[key] = plan
            while len(_known) > KEPT:
                _known.popitem(last=False)
    return plan


def _is_small(plan: Plan) -> bool:
    """Whether all that a plan reads are few bytes in memory."""
    total = 0
    for node in plan.written.nodes:
        if isinstance(node.operator, Sink) or node.after or node.operator.layout is not None:
            return False
        if isinstance(node.operator, Source):
            if not node.operator.external:
                return False
            total += node.type.nbytes
    return total <= SMALL
