"""Order in which tasks run whose results are fetched in rounds, so that values are let go of soon.

A round would keep what later ones need. So tasks run in Dask's own order, which goes deep first, or
those of the result of most blocks do: then what else reads their values, as the nodes of a fold
do, runs where it lets go of one. Which of both is taken is a matter of the bytes that are held.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from dask.order import order

from dask_tapestry.lower.dask_private import GraphNode

Key = Any


def fetch_order(
    tasks: Mapping[Key, GraphNode],
    results: Sequence[Sequence[Key]],
    value_bytes: Callable[[Key], int],
) -> Mapping[Key, int]:
    """The place of each task in an order that leads to the blocks of results.

    Parameters
    ----------
    tasks
        By key.
    results
        Keys of the blocks of each result.
    value_bytes
        Returns the bytes of a task's value.
    """
    usual = order(tasks)
    closures = [_needed(tasks, keys) for keys in results]
    main = max(range(len(results)), key=lambda n: (len(results[n]), len(closures[n])))
    if len(closures[main]) == len(tasks):
        return usual
    beside = sorted(tasks.keys() - closures[main], key=usual.__getitem__)
    place = _beside(tasks, order({key: tasks[key] for key in closures[main]}), beside)
    ranked = sorted(tasks, key=lambda key: (place[key], key not in closures[main], usual[key]))
    other = {key: rank for rank, key in enumerate(ranked)}
    return min((usual, other), key=lambda one: _most_held(tasks, one, value_bytes))


def _most_held(
    tasks: Mapping[Key, GraphNode], place: Mapping[Key, int], value_bytes: Callable[[Key], int]
) -> int:
    """Bytes of values that are held at a time, at most, if one task runs after the other."""
    held = most = 0
    let_go: dict[Key, list[Key]] = defaultdict(list)
    for key, last in _last_uses(tasks, place).items():
        let_go[last].append(key)
    for key in sorted(tasks, key=place.__getitem__):
        held += value_bytes(key)
        most = max(most, held)
        held -= sum(map(value_bytes, let_go[key]))
    return most


def _last_uses(tasks: Mapping[Key, GraphNode], place: Mapping[Key, int]) -> dict[Key, Key]:
    """For each value the last task that reads it; itself where none does."""
    last = {key: key for key in place}
    for key in sorted(place, key=place.__getitem__):
        for read in dependencies_of(tasks, key):
            last[read] = key
    return last


def _beside(
    tasks: Mapping[Key, GraphNode], known: Mapping[Key, int], beside: Sequence[Key]
) -> dict[Key, int]:
    """Places of all tasks: those that are known, and of each task of `beside`, inputs first.

    It has the place where the first value that it reads would be let go of, or else of what reads
    it first.
    """
    place, end, late = dict(known), len(known), list[Key]()
    last_use = {key: known[last] for key, last in _last_uses(tasks, known).items()}
    for key in beside:
        reads = dependencies_of(tasks, key)
        let_go = min([last_use[read] for read in reads], default=end)
        ready = max([place[read] for read in reads], default=0)
        place[key] = ready if let_go == end else max(ready, let_go)
        late += [key] if let_go == end else []
        for one in (key, *reads):
            last_use[one] = max(last_use.get(one, 0), end if let_go == end else place[key])
    waiting, soonest = set(late), dict.fromkeys(late, end)
    for key in reversed(beside):
        place[key] = soonest[key] if key in waiting else place[key]
        for read in dependencies_of(tasks, key):
            soonest[read] = min(soonest.get(read, end), place[key])
    return place


def dependencies_of(tasks: Mapping[Key, GraphNode], key: Key) -> list[Key]:
    """What a task needs of other tasks; what is with the scheduler already is none."""
    return [needed for needed in tasks[key].dependencies if needed in tasks]


def _needed(tasks: Mapping[Key, GraphNode], keys: Iterable[Key]) -> Collection[Key]:
    """All that some keys need, themselves among it."""
    stack = list(keys)
    found = set(stack)
    while stack:
        fresh = [key for key in dependencies_of(tasks, stack.pop()) if key not in found]
        found.update(fresh)
        stack += fresh
    return found
