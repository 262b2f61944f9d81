"""Keys that graphs of others share: of one value, or of two that Dask would take for one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from dask.base import clone_key, tokenize

from dask_tapestry.lower.dask_private import TaskRef, convert_legacy_graph

TOKEN: Final = re.compile(r"-[0-9a-f]{24}([0-9a-f]{8})?$")  # of what a value is made of


class TakenKeys:
    """The tasks that a graph has by keys that somebody chose: those say nothing of the value.

    Names that end in a token are not looked at: equal ones mean equal tasks.
    """

    def __init__(self) -> None:
        self._tasks: dict[Any, Any] = {}

    def take(self, layers: Mapping[Any, Mapping[Any, Any]]) -> bool:
        """Take the keys of layers; or none and return False if one has another task already.

        Parameters
        ----------
        layers
            Tasks by key, by the names of the layers: those of delayed values may be keys.

        Examples
        --------
        >>> taken = TakenKeys()
        >>> [taken.take({"x": {("x", 0): value}}) for value in (1, 1, 2)]
        [True, True, False]
        """
        chosen = [layer for name, layer in layers.items() if not _has_token(name)]
        for layer in chosen:
            for key in self._tasks.keys() & layer.keys():
                if _differ(self._tasks[key], layer[key]):
                    return False
        for layer in chosen:
            self._tasks.update(layer)
        return True


def _has_token(name: Any) -> bool:
    """Whether a layer's name, or the name within a key that is one, ends in a token."""
    text = name[0] if isinstance(name, tuple) and name else name
    return isinstance(text, str) and TOKEN.search(text) is not None


def _differ(one: Any, other: Any) -> bool:
    """Whether tasks differ; what a cluster holds under a key is what any task of that key gives."""
    if isinstance(one, TaskRef) or isinstance(other, TaskRef):
        return False
    return one is not other and bool(tokenize(one) != tokenize(other))


def renamed(graph: Mapping[Any, Any], seed: str) -> dict[Any, Any]:
    """The tasks of a graph by keys of their own, which `renamed_key` makes with the same seed.

    Examples
    --------
    >>> key, (again, _) = list(renamed({"x": 1, ("y", 0): (abs, "x")}, "a"))
    >>> key == renamed_key("x", "a"), again == renamed_key("y", "a")
    (True, True)
    """
    tasks = convert_legacy_graph(graph)
    names = {key: renamed_key(key, seed) for key in tasks}
    return {names[key]: task.substitute(names, names[key]) for key, task in tasks.items()}


def renamed_key(key: Any, seed: str) -> Any:
    """A key of the same form with a token of the key and the seed in its name."""
    try:
        return clone_key(key, seed)
    except TypeError:  # neither a name nor one with numbers
        return (seed, key)
