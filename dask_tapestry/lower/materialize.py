"""Materializes tasks of a symbolic graph: those that some keys need, and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from dask.highlevelgraph import HighLevelGraph
from dask.utils import ensure_dict

from dask_tapestry.lower.dask_private import GraphNode, convert_legacy_graph
from dask_tapestry.lower.symbolic_layer import Key, SymbolicLayer
from dask_tapestry.memory.garbage_collection import collection_paused

Writer = Callable[[Any], GraphNode]


def materialize(graph: HighLevelGraph, keys: Iterable[Key]) -> dict[Any, GraphNode]:
    """Write out the tasks that `keys` need, and no others."""
    writers = _writers(graph)
    tasks: dict[Any, GraphNode] = {}
    foreign: set[Any] = set()
    with collection_paused():
        stack = _checked(graph, keys)
        while fresh := _write(stack, writers, tasks) - foreign:
            foreign |= fresh
            found = _foreign_tasks(graph, fresh)
            tasks |= found  # another collection's tasks may in turn stand on ours
            needed = {d for task in found.values() for d in task.dependencies}
            stack = _checked(graph, needed - tasks.keys())
    return tasks


def _write(
    stack: list[Any], writers: Mapping[Any, Writer], tasks: dict[Any, GraphNode]
) -> set[Any]:
    """Write out the tasks of our layers that the keys on a stack need; return what is not ours."""
    foreign: set[Any] = set()
    while stack:
        key = stack.pop()
        if key in tasks:
            continue
        name = _layer_name(key)
        if name not in writers:
            foreign.add(key)
        else:
            tasks[key] = task = writers[name](key)
            stack.extend(task.dependencies.difference(tasks))
    return foreign


def _writers(graph: HighLevelGraph) -> dict[Any, Writer]:
    """What writes out the task of a key of each of our layers."""
    return {
        name: layer.written
        for name, layer in graph.layers.items()
        if isinstance(layer, SymbolicLayer)
    }


def _layer_name(key: Any) -> Any:
    """Name of the layer that has a key, if it is one of ours: that of a string begins with it."""
    if isinstance(key, str):
        return key.rpartition(".")[0]
    return key[0] if isinstance(key, tuple) and key else None


def _checked(graph: HighLevelGraph, keys: Iterable[Key]) -> list[Key]:
    """The keys; `KeyError` for one that its layer does not have, as others may ask for anything."""
    checked = list(keys)
    for key in checked:
        layer = graph.layers.get(_layer_name(key))
        if isinstance(layer, SymbolicLayer):
            layer.index_of(key)
    return checked


class _Keys:
    """All keys of a graph; those of symbolic layers are not listed."""

    def __init__(self, graph: HighLevelGraph, others: Mapping[Any, Any]) -> None:
        self.layers, self.others = graph.layers, others

    def __contains__(self, key: Any) -> bool:
        if key in self.others:
            return True
        layer = self.layers.get(_layer_name(key))
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
