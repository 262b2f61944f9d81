"""From a symbolic graph to tasks: those that some keys need are written out, and no others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dask.highlevelgraph import HighLevelGraph
from dask.utils import ensure_dict

from dask_tapestry.lower.dask_private import GraphNode, convert_legacy_graph
from dask_tapestry.lower.layers import ScatteredLayer
from dask_tapestry.lower.symbolic_layer import Key, SymbolicLayer


def materialize(graph: HighLevelGraph, keys: Iterable[Key]) -> dict[Any, GraphNode]:
    """Write out the tasks that `keys` need, and no others."""
    tasks: dict[Any, GraphNode] = {}
    foreign: set[Any] = set()
    missing: set[Any] = set()
    stack = _checked(graph, keys)
    while stack or foreign:
        if not stack:  # another collection's tasks may in turn stand on ours
            found = _foreign_tasks(graph, foreign - tasks.keys())
            tasks |= found
            foreign.clear()
            needed = (d for task in found.values() for d in task.dependencies)
            stack = _checked(graph, (key for key in needed if key not in tasks))
            continue
        key = stack.pop()
        if key in tasks:
            continue
        layer = graph.layers.get(key[0]) if isinstance(key, tuple) else None
        if isinstance(layer, SymbolicLayer):
            if _is_sent(layer):
                continue
            tasks[key] = task = layer.task(key[1:])
            stack.extend(task.dependencies.difference(tasks))
        elif key not in missing:
            missing.add(key)
            foreign.add(key)
    return tasks


def _checked(graph: HighLevelGraph, keys: Iterable[Key]) -> list[Key]:
    """The keys; `KeyError` for one that its layer does not have, as others may ask for anything."""
    checked = list(keys)
    for key in checked:
        layer = graph.layers.get(key[0]) if isinstance(key, tuple) else None
        if isinstance(layer, SymbolicLayer) and not _is_sent(layer):
            layer.index_of(key)
    return checked


def _is_sent(layer: SymbolicLayer) -> bool:
    """Whether a layer's blocks are on the workers, and known there by key."""
    return isinstance(layer, ScatteredLayer) and layer.data is None


class _Keys:
    """All keys of a graph; those of symbolic layers are not listed."""

    def __init__(self, graph: HighLevelGraph, others: Mapping[Any, Any]) -> None:
        self.layers, self.others = graph.layers, others

    def __contains__(self, key: Any) -> bool:
        if key in self.others:
            return True
        layer = self.layers.get(key[0]) if isinstance(key, tuple) and key else None
        return isinstance(layer, SymbolicLayer) and key in layer


def _foreign_tasks(graph: HighLevelGraph, keys: set[Any]) -> dict[Any, GraphNode]:
    """Return the tasks of other collections that `keys` need; futures have none.

    In tasks of the older form a key is a tuple like any other: which are keys of ours must be said.
    """
    others = {n: x for n, x in graph.layers.items() if not isinstance(x, SymbolicLayer)}
    dependencies = {n: graph.dependencies[n] & set(others) for n in others}
    tasks = ensure_dict(HighLevelGraph(others, dependencies))
    written = convert_legacy_graph(tasks, _Keys(graph, tasks))
    needed: dict[Any, GraphNode] = {}
    stack = [key for key in keys if key in written]
    while stack:
        key = stack.pop()
        if key not in needed and key in written:
            needed[key] = written[key]
            stack.extend(written[key].dependencies)
    return needed
