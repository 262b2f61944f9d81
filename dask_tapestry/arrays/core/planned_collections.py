"""Collections that a plan computes: values and writes."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from dask_tapestry.planner.plan import PlannedGraph
from dask_tapestry.teg import Node


@runtime_checkable
class PlannedCollection(Protocol):
    """An array or an effect: a node, and the plan to compute it with."""

    def __init__(self, node: Node, *, plan: PlannedGraph | None = None) -> None: ...
    @property
    def node(self) -> Node: ...
