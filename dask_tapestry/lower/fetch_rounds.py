"""Rounds in which the blocks of results are computed: what each has, and what is kept between them.

Every task runs once: a value that a later round needs is kept from the round in which it is
computed to the last one that needs it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from math import ceil
from typing import Any, NamedTuple
from uuid import uuid4

from dask.core import flatten
from dask.highlevelgraph import HighLevelGraph

from dask_tapestry.lower.dask_private import GraphNode
from dask_tapestry.lower.fetch_order import dependencies_of, fetch_order
from dask_tapestry.lower.materialize import materialize
from dask_tapestry.lower.symbolic_layer import SymbolicLayer
from dask_tapestry.lower.tuning import MOST_PARTS_UNDERWAY

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
    """The blocks of all results in about `count` rounds, each with a part of every result.

    Rounds are parts of an order of all tasks that lets go of values soon.
    """
    wanted = [list(dict.fromkeys(flatten(keys))) for keys in results]
    if count == 1:
        yield FetchRound(list(dict.fromkeys(chain.from_iterable(wanted))), [], [], _round_name())
        return
    tasks = materialize(graph, chain.from_iterable(wanted))
    place = fetch_order(tasks, wanted, partial(_value_bytes, graph))
    parts = _parts(wanted, count, place)
    kept_by_round: list[list[Key]] = [[] for _ in parts]
    over_by_round: list[list[Key]] = [[] for _ in parts]
    for key, (first, last) in _spans(tasks, place, parts).items():
        kept_by_round[first].append(key)
        over_by_round[last].append(key)
    for some in zip(parts, kept_by_round, over_by_round, strict=True):
        yield FetchRound(*some, _round_name())


def parts_underway(results: Sequence[Any], rounds: int) -> int:
    """Parts of a round that are computed at a time: together they have no more blocks than it has.

    Each is as one of more rounds; the blocks of one are fetched while others are computed.

    Parameters
    ----------
    results
        Keys of the blocks of each.
    rounds
        In which workers can hold these.
    """
    counts = [len(set(flatten(keys))) for keys in results]

    def are_no_more(parts: int) -> bool:
        return all(parts * ceil(n / (parts * rounds)) <= ceil(n / rounds) for n in counts)

    most = MOST_PARTS_UNDERWAY if rounds > 1 else 1  # of one round all blocks come as they end
    return max(filter(are_no_more, range(1, most + 1)))


def _value_bytes(graph: HighLevelGraph, key: Key) -> int:
    """Bytes of the value of a task, where a layer of ours knows them."""
    layer = graph.layers.get(key[0]) if isinstance(key, tuple) else None
    return layer.value_bytes(key[1:]) if isinstance(layer, SymbolicLayer) else 0


def _round_name() -> str:
    return f"tapestryexpr-{uuid4().hex}"


def _parts(
    results: Sequence[Sequence[Key]], count: int, place: Mapping[Key, int]
) -> list[list[Key]]:
    """Keys of each round, in order: of each result as many as there are in `count` equal parts."""
    most = [ceil(len(keys) / count) for keys in results]
    owners: dict[Key, list[int]] = defaultdict(list)
    for number, keys in enumerate(results):
        for key in keys:
            owners[key].append(number)
    parts, taken = [list[Key]()], Counter[int]()
    for key in sorted(owners, key=place.__getitem__):
        if any(taken[number] == most[number] for number in owners[key]):
            parts.append([])
            taken.clear()
        parts[-1].append(key)
        taken.update(owners[key])
    return parts


def _spans(
    tasks: Mapping[Key, GraphNode], place: Mapping[Key, int], parts: Sequence[list[Key]]
) -> dict[Key, tuple[int, int]]:
    """For each value that a later round needs, the round that computes it and the last one."""
    ends = [place[keys[-1]] for keys in parts]
    first = {key: bisect_left(ends, place[key]) for key in tasks}
    last = dict(first)
    for key in sorted(tasks, key=place.__getitem__):
        for needed in dependencies_of(tasks, key):
            last[needed] = max(last[needed], first[key])
    return {key: (first[key], number) for key, number in last.items() if number > first[key]}
