"""Rounds in which the blocks of results are computed: what each has, and what is kept between them.

Every task runs once: a value that a later round needs is kept from the round in which it is
computed to the last one that needs it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple
from uuid import uuid4

from dask.core import flatten
from dask.highlevelgraph import HighLevelGraph

from dask_tapestry.lower.dask_private import GraphNode
from dask_tapestry.lower.materialize import materialize

Key = Any


class FetchRound(NamedTuple):
    """What is computed at a time.

    Attributes
    ----------
    keys
        Of the blocks of results.
    kept
        Of values that later rounds need.
    over
        Of values that were kept, and are not needed after this round.
    name
        Of the round, as of no other.
    """

    keys: list[Key]
    kept: list[Key]
    over: list[Key]
    name: str


def rounds_of(graph: HighLevelGraph, results: Sequence[Any], count: int) -> Iterator[FetchRound]:
    """The blocks of all results in `count` rounds, each with an equal part of every result."""
    parts = _parts([list(dict.fromkeys(flatten(keys))) for keys in results], count)
    kept_by_round: list[list[Key]] = [[] for _ in parts]
    over_by_round: list[list[Key]] = [[] for _ in parts]
    if len(parts) > 1:
        for key, (first, last) in _spans(graph, parts).items():
            kept_by_round[first].append(key)
            over_by_round[last].append(key)
    for some in zip(parts, kept_by_round, over_by_round, strict=True):
        yield FetchRound(*some, f"tapestryexpr-{uuid4().hex}")


def _parts(results: Sequence[Sequence[Key]], count: int) -> list[list[Key]]:
    """Keys of each round; one that belongs to several results is in the first that has it."""
    earlier_keys: set[Key] = set()
    parts = []
    for number in range(count):
        part = [
            key
            for keys in results
            for key in _key_share(keys, number, count)
            if key not in earlier_keys
        ]
        part = list(dict.fromkeys(part))
        earlier_keys.update(part)
        parts += [part] if part else []
    return parts


def _key_share(keys: Sequence[Key], number: int, count: int) -> Sequence[Key]:
    return keys[len(keys) * number // count : len(keys) * (number + 1) // count]


def _spans(graph: HighLevelGraph, parts: Sequence[list[Key]]) -> dict[Key, tuple[int, int]]:
    """For each value that a later round needs, the round that computes it and the last one."""
    tasks = materialize(graph, chain.from_iterable(parts))
    first: dict[Key, int] = {}
    for number, keys in enumerate(parts):
        _reach(keys, tasks, first, number)
    last: dict[Key, int] = {}
    for key, number in first.items():
        for needed in _required_keys(tasks, key):
            if first[needed] < number:
                last[needed] = max(last.get(needed, 0), number)
    return {key: (first[key], number) for key, number in last.items()}


def _reach(
    keys: Iterable[Key], tasks: Mapping[Key, GraphNode], first: dict[Key, int], number: int
) -> None:
    """Note all that `keys` need and no earlier round has."""
    stack = [key for key in keys if key not in first]
    first.update(dict.fromkeys(stack, number))
    while stack:
        fresh = [key for key in _required_keys(tasks, stack.pop()) if key not in first]
        first.update(dict.fromkeys(fresh, number))
        stack += fresh


def _required_keys(tasks: Mapping[Key, GraphNode], key: Key) -> list[Key]:
    """What a task needs of other tasks; what is with the scheduler already is none."""
    return [needed for needed in tasks[key].dependencies if needed in tasks]
