"""Wavefronts of threads: threads that run at the same time form a turn; turns follow events.

Bodies are not interrupted: a thread that waits for an event begins when all threads that signal it
have ended. So threads take turns, and the threads of a turn are boxes and lines of a few affine
pieces, each of which is a space of threads again.

Source: MLIR's RFC of `foreach_thread`, "signal/wait".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.errors import ConstraintError, PlanError, TraceError
from dask_tapestry.operators.cells.elementwise import Elementwise, elementwise
from dask_tapestry.operators.generators.coordinates import INDEX_DTYPE
from dask_tapestry.operators.generators.full import Full, full
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads.affine_cells import Affine
from dask_tapestry.operators.threads.batched_operators import computed_batch
from dask_tapestry.operators.threads.threads import Threads, replaced
from dask_tapestry.operators.tuning import MOST_TURN_PIECES, MOST_TURNS, THREADS_NAMED
from dask_tapestry.teg import Node, Tensor
from dask_tapestry.teg.node import topological

Numbers = np.ndarray[Any, np.dtype[np.int64]]


class Event(NamedTuple):
    """What a thread says of an event: that it has happened, or that it waits for it.

    Attributes
    ----------
    threads
        Those that say it.
    number
        Of the event, one integer or several.
    when
        Whether a thread says it at all.
    waits
        Whether it waits.
    """

    threads: Threads
    number: tuple[Tensor, ...]
    when: Tensor
    waits: bool


class ThreadBox(NamedTuple):
    """Threads whose ids are ``starts + steps @ n``, for n in a box of `counts`."""

    starts: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]
    counts: tuple[int, ...]


def turns_of(threads: Threads, events: Sequence[Event]) -> list[tuple[ThreadBox, ...]]:
    """The pieces of the threads of each turn.

    Raises
    ------
    ConstraintError
        If threads wait for each other in a circle, or for what nobody signals.
    PlanError
        If there are too many turns, or the threads of one lie in too many pieces.
    TraceError
        If more than the numbers of threads tells what they wait for.
    """
    turns = ordered(threads, events)
    turn_groups = []
    for number, turn in enumerate(turns):
        ids = np.stack(np.unravel_index(turn, threads.extents), -1)
        pieces = pieces_of(ids)
        if len(pieces) > MOST_TURN_PIECES:
            raise PlanError(
                f"{threads.name}: {len(turn)} threads begin together in turn {number}, and lie in "
                f"{len(pieces)} pieces, more than {MOST_TURN_PIECES}: let neighbours wait together"
            )
        turn_groups.append(pieces)
    return turn_groups


def ordered(threads: Threads, events: Sequence[Event]) -> list[Numbers]:
    """The threads of each turn, by their number in C order; errors as of `turns_of`."""
    signals, waits = _signals_and_waits(threads, events)
    count = int(np.prod(threads.extents, dtype=np.int64))
    _check_signalled(threads, signals, waits)
    events_count = 1 + max(
        (int(side[:, 1].max()) for side in (signals, waits) if len(side)), default=0
    )
    pending = np.bincount(signals[:, 1], minlength=events_count)
    remaining = np.ones(count, bool)
    turns: list[Numbers] = []
    while remaining.any():
        ready = remaining.copy()
        ready[waits[pending[waits[:, 1]] > 0, 0]] = False
        if not ready.any():
            raise ConstraintError(_circle(threads, signals, waits, remaining, pending))
        if len(turns) == MOST_TURNS:
            raise PlanError(
                f"{threads.name}: threads wait for each other in more than {MOST_TURNS} turns: let "
                "each do more"
            )
        turns.append(np.flatnonzero(ready))
        remaining &= ~ready
        pending -= np.bincount(signals[ready[signals[:, 0]], 1], minlength=events_count)
    return turns


def _signals_and_waits(threads: Threads, events: Sequence[Event]) -> tuple[Numbers, Numbers]:
    """Pairs (thread, event) of signals, and of waits; events are counted from 0."""
    widths = {len(event.number) for event in events}
    if len(widths) > 1:
        raise TraceError(
            f"{threads.name}: its events have {sorted(widths)} numbers: all events "
            "need equally many"
        )
    lists: tuple[list[Numbers], list[Numbers]] = ([], [])
    for event in events:
        when, *numbers = _values(threads, (event.when, *event.number))
        at = np.flatnonzero(when)
        lists[event.waits].append(np.stack([at, *[n[at] for n in numbers]], -1))
    width = 1 + max(widths)
    pairs = [np.concatenate([np.zeros((0, width), int), *side]) for side in lists]
    names = np.concatenate([side[:, 1:] for side in pairs])
    _, numbered = np.unique(names, axis=0, return_inverse=True)
    first = len(pairs[0])
    numbered = numbered.reshape(-1)
    made = [
        np.stack([side[:, 0], part], -1)
        for side, part in zip(pairs, (numbered[:first], numbered[first:]), strict=True)
    ]
    return made[0], made[1]


def _values(threads: Threads, tensors: Sequence[Tensor]) -> Iterator[Numbers]:
    """The values of all threads, one after the other in C order."""
    rank = len(threads.extents)
    by_node: dict[Node, Any] = {}
    for dim, (node, extent) in enumerate(zip(threads.ids, threads.extents, strict=True)):
        by_node[node] = np.arange(extent).reshape([-1 if d == dim else 1 for d in range(rank)])
    for node in topological(tensors):
        if node in by_node:
            continue
        if isinstance(node.operator, Full):
            by_node[node] = np.full((1,) * rank, node.operator.scalar)
        elif isinstance(node.operator, Elementwise):
            by_node[node] = computed_batch(node, [by_node[x] for x in node.inputs], rank)
        else:
            raise TraceError(
                f"{threads.name}: which event is meant is computed of threads' numbers alone, not "
                f"with {node.operator.name}"
            )
    for node in tensors:
        yield np.broadcast_to(by_node[node], threads.extents).reshape(-1)


def _check_signalled(threads: Threads, signals: Numbers, waits: Numbers) -> None:
    lost = np.flatnonzero(~np.isin(waits[:, 1], signals[:, 1]))
    if len(lost):
        thread = _thread(threads, waits[lost[0], 0])
        raise ConstraintError(
            f"{threads.name}: thread {thread} waits for an event that no thread signals"
        )


def _circle(
    threads: Threads, signals: Numbers, waits: Numbers, remaining: Any, pending: Numbers
) -> str:
    """Say which threads wait for each other."""
    signallers = {int(event): int(thread) for thread, event in signals if remaining[thread]}
    awaited = {int(thread): int(event) for thread, event in waits if pending[event] > 0}
    path = [int(np.flatnonzero(remaining)[0])]
    while path[-1] not in path[:-1]:
        path.append(signallers[awaited[path[-1]]])
    circle = path[path.index(path[-1]) + 1 :]
    why = "a thread begins when those have ended that signal what it waits for"
    if len(circle) == 1:
        return f"{threads.name}: thread {_thread(threads, circle[0])} waits for itself: {why}"
    shown = [str(_thread(threads, one)) for one in circle[:THREADS_NAMED]]
    more = " ..." if len(circle) > THREADS_NAMED else ""
    return f"{threads.name}: threads {', '.join(shown)}{more} wait for each other: {why}"


def _thread(threads: Threads, number: int) -> tuple[int, ...]:
    return tuple(map(int, np.unravel_index(number, threads.extents)))


def pieces_of(ids: Numbers) -> tuple[ThreadBox, ...]:
    """Rows of ids, in lexicographic order, as one box or as lines one after the other.

    Examples
    --------
    >>> pieces_of(np.array([[0, 1], [0, 3], [2, 1], [2, 3]]))
    (ThreadBox(starts=(0, 1), steps=((2, 0), (0, 2)), counts=(2, 2)),)
    >>> pieces_of(np.array([[0, 2], [1, 1], [2, 0]]))
    (ThreadBox(starts=(0, 2), steps=((1,), (-1,)), counts=(3,)),)
    """
    box = _box(ids)
    if box is not None:
        return (box,)
    steps = np.diff(ids, axis=0)
    boxes_of_threads, first, count = [], 0, len(ids)
    while first < count:
        end = first + 1
        if end < count:
            changes = np.flatnonzero((steps[first:] != steps[first]).any(1))
            end = first + 1 + int(changes[0]) if len(changes) else count
        step = steps[first] if end - first > 1 else np.zeros(ids.shape[1], int)
        lines = tuple((int(n),) for n in step)
        boxes_of_threads.append(ThreadBox(tuple(map(int, ids[first])), lines, (end - first,)))
        first = end
    return tuple(boxes_of_threads)


def _box(ids: Numbers) -> ThreadBox | None:
    lines = [np.unique(column) for column in ids.T]
    if np.prod([len(line) for line in lines]) != len(ids):
        return None
    paces = []
    for line in lines:
        steps = {int(b - a) for a, b in pairwise(line)} or {0}
        if len(steps) > 1:
            return None
        paces.append(steps.pop())
    rows = tuple(
        tuple(pace if d == dim else 0 for d in range(len(paces))) for dim, pace in enumerate(paces)
    )
    return ThreadBox(tuple(int(line[0]) for line in lines), rows, tuple(map(len, lines)))


def of_piece(
    threads: Threads, piece: ThreadBox, values: Sequence[Tensor]
) -> tuple[Threads, list[Tensor]]:
    """The space of a piece of threads, and values of threads as they are computed there."""
    ids = tuple(symbol("a thread's number", "", INDEX_DTYPE) for _ in piece.counts)
    by: dict[Node, Tensor] = {}
    for node, start, row in zip(threads.ids, piece.starts, piece.steps, strict=True):
        total = full((), np.int64(start))
        for own, step in zip(ids, row, strict=True):
            if step:
                total = elementwise("add", total, elementwise("multiply", own, np.int64(step)))
        by[node] = total
    called = tuple(Affine(row, start) for row, start in zip(piece.steps, piece.starts, strict=True))
    return Threads(threads.name, ids, piece.counts, called), replaced(values, by)
