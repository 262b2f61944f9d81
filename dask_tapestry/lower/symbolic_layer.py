"""The base of our Dask layers: tasks that follow from a few values, written out when asked for.

`layers.py` has the layers of steps. They travel to the scheduler inside of the expression of
`planned_expression.py`, each as the few values of a `step_spec.py`; there `materialize.py` writes
tasks out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Hashable, Iterator, Mapping
from functools import cached_property
from itertools import product
from math import prod
from operator import contains
from typing import Any

from dask.base import clone_key, get_annotations
from dask.highlevelgraph import Layer, MaterializedLayer
from dask.typing import Key as DaskKey

from dask_tapestry.lower.dask_private import GraphNode, Task, TaskRef

Key = tuple[Any, ...]


class SymbolicLayer(Layer):
    """A layer whose tasks follow from a few values; `name` is the first part of every key."""

    has_legacy_tasks = False
    name: str

    def __init__(self, name: str, annotations: Mapping[str, Any] | None = None) -> None:
        around = get_annotations()  # of the code that computes; Dask's own class takes one or other
        super().__init__(annotations={**around, **(annotations or {})})
        self.name = name

    @property
    @abstractmethod
    def grid_shape(self) -> tuple[int, ...]:
        """Number of tasks along each dimension of the keys."""

    @abstractmethod
    def task(self, index: tuple[int, ...]) -> GraphNode:
        """Return the task with key ``(name, *index)``."""

    def value_bytes(self, index: tuple[int, ...]) -> int:
        """About how many bytes the value of the task with key ``(name, *index)`` takes."""
        del index
        return 0

    def is_materialized(self) -> bool:
        return False

    def get_output_keys(self) -> set[DaskKey]:
        return set(self)

    def __iter__(self) -> Iterator[Key]:
        return ((self.name, *index) for index in product(*map(range, self.grid_shape)))

    def __len__(self) -> int:
        return prod(self.grid_shape)

    def __getitem__(self, key: DaskKey) -> GraphNode:
        return self.task(self.index_of(key))

    def written(self, key: Any) -> GraphNode:
        """Return the task of a key that the layer has."""
        return self.task(key[1:])

    def index_of(self, key: DaskKey) -> tuple[int, ...]:
        """Integers of a key ``(name, *integers)`` of this layer; `KeyError` for any other."""
        if not isinstance(key, tuple) or key[:1] != (self.name,):
            raise KeyError(key)
        index, bounds = tuple([i for i in key[1:] if isinstance(i, int)]), self._bounds
        if not len(key) - 1 == len(index) == len(bounds):
            raise KeyError(key)
        if not all(map(contains, bounds, index)):
            raise KeyError(key)
        return index

    @cached_property
    def _bounds(self) -> tuple[range, ...]:
        """The integers that a key may have at each place."""
        return tuple(map(range, self.grid_shape))

    def cull(
        self, keys: set[DaskKey], all_hlg_keys: Collection[DaskKey]
    ) -> tuple[Layer, dict[DaskKey, set[DaskKey]]]:
        """The tasks of `keys` and those of the layer that they need, and what each needs.

        Dask's own writes all of the layer out for it, to take one block of a large array.
        """
        tasks: dict[DaskKey, GraphNode] = {}
        waiting = [key for key in keys if key in self]
        while waiting:
            key = waiting.pop()
            if key not in tasks:
                tasks[key] = self.written(key)
                waiting += [needed for needed in tasks[key].dependencies if needed in self]
        needs = {key: set(task.dependencies) for key, task in tasks.items()}
        return ClonedLayer(tasks, self.annotations), needs

    def clone(
        self, keys: set[DaskKey], seed: Hashable, bind_to: DaskKey | None = None
    ) -> tuple[Layer, bool]:
        """The tasks written out under other keys, as `dask.graph_manipulation` wants them.

        With `bind_to`, those that need none of `keys` wait for it; whether there are any is told.
        """
        return _cloned({key: self[key] for key in self}, keys, seed, bind_to)

    def __contains__(self, key: object) -> bool:
        try:
            self.index_of(key)  # type: ignore[arg-type]
        except KeyError:
            return False
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} {self.grid_shape}>"


def after_ended(value: Any, ended: Any) -> Any:
    """Return `value`; the argument `ended` only expresses a dependency."""
    del ended
    return value


class ClonedLayer(MaterializedLayer):
    """Tasks that were written out; Dask's own layer of tasks does not rename what they need."""

    def clone(
        self, keys: set[DaskKey], seed: Hashable, bind_to: DaskKey | None = None
    ) -> tuple[Layer, bool]:
        return _cloned(self.mapping, keys, seed, bind_to)


def _cloned(
    tasks: Mapping[DaskKey, GraphNode], keys: set[DaskKey], seed: Hashable, bind_to: DaskKey | None
) -> tuple[Layer, bool]:
    """Return tasks under other keys, and whether any of them waits for `bind_to`."""
    cloned: dict[DaskKey, GraphNode] = {}
    bound = False
    for key, task in tasks.items():
        if key not in keys:
            cloned[key] = task
            continue
        needed = task.dependencies & keys
        new = clone_key(key, seed)
        cloned[new] = task.substitute({k: clone_key(k, seed) for k in needed}, key=new)
        if bind_to is not None and not needed:
            cloned[new] = Task(new, after_ended, cloned[new], TaskRef(bind_to))
            bound = True
    return ClonedLayer(cloned), bound
