"""Runs of a loop: steps persisted one after the other, until they are enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.amounts import whole_number
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.loops.checkpoints import Checkpoints
from dask_tapestry.arrays.loops.traced_functions import StateField, Traced, graph_of, traced
from dask_tapestry.arrays.planning import persist
from dask_tapestry.errors import ArgumentError, ArgumentTypeError
from dask_tapestry.imports import lazy_import
from dask_tapestry.operators.functions.user_function import name_of
from dask_tapestry.planner.machine.resources import live_client
from dask_tapestry.teg import Node, Source

State = tuple[Array, ...]
Advance = Callable[[Sequence[Node], int, int], list[Node]]  # state, its number, how many steps


class Ends(NamedTuple):
    """When a loop ends, and what it looks after on the way.

    {Attributes}
        steps: The most steps; None for any number.
        until: The graph that says of a state whether it is the last; None if none does.
        every: Steps from one look to the next.
        checkpoints: Where every such state is stored; None for nowhere.
    """

    steps: int | None
    until: Traced | None
    every: int
    checkpoints: Checkpoints | None

    def next_stop(self, step: int) -> int | None:
        """The step after `step` at which something is looked at, or the last one; None if none."""
        looks = self.until is not None or self.checkpoints is not None
        stops = [] if self.steps is None else [self.steps]
        if looks:
            stops.append((step // self.every + 1) * self.every)
        return min(stops) if stops else None


def checked_ends(
    steps: int | None, until: object, every: int | None, checkpoint: object
) -> tuple[int | None, int]:
    """The number of steps, and how many lie between two looks.

    {Raises} ArgumentError, ArgumentTypeError: If nothing ends the loop, a number is none, a
        checkpoint has no `every`, or `every` has nothing to look at.
    """
    if steps is None and until is None:
        raise ArgumentError("the loop has no end: give steps or until")
    if until is not None and not callable(until):
        raise ArgumentTypeError(f"until must be a function of the state, not {until!r}")
    if checkpoint is not None and every is None:
        raise ArgumentError("checkpoint needs every=, the number of steps between two checkpoints")
    if every is not None and until is None and checkpoint is None:
        raise ArgumentError("every= is the interval of until or checkpoint: give one of them")
    most = None if steps is None else whole_number("steps", steps, 0)
    return most, 1 if every is None else whole_number("every", every)


def state_of(state: Any) -> State:
    """The arrays of a state: one, or those of a tuple or list.

    {Raises} ArgumentError: For a state of no arrays.
    """
    arrays = tuple(map(asarray, state)) if isinstance(state, tuple | list) else (asarray(state),)
    if not arrays:
        raise ArgumentError("a state is an array, or a tuple of arrays: this one is empty")
    return arrays


def ending(until: Callable[..., Any] | None, fields: Sequence[StateField]) -> Traced | None:
    """The graph of `until`.

    {Raises} ArgumentTypeError: If it does not return one cell that is true or false.
    """
    if until is None:
        return None
    slots, results = traced(until, fields)
    found = [f"{x.dtype}{list(x.shape)}" for x in results]
    if found != ["bool[]"]:
        raise ArgumentTypeError(
            f"until must return one cell that is true or false (a 0-d bool array, as "
            f"dt.all(...) or a comparison of a sum); {name_of(until)} returned {', '.join(found)}"
        )
    return graph_of(slots, [x.bound for x in results])


def one_by_one(step: Traced) -> Advance:
    """Several steps, each of which reads what the one before yields."""

    def advance(nodes: Sequence[Node], number: int, count: int) -> list[Node]:
        state = list(nodes)
        for place in range(number, number + count):
            state = step([*state, time_node(place)])
        return state

    return advance


def time_node(number: int) -> Node:
    """The number of a step, as data: another number leaves plans as they are."""
    return asarray(np.asarray(number, np.int64)).node


def run(state: State, advance: Advance, ends: Ends, fused: int = 1) -> State:
    """Go from a state to the last one.

    {Parameters}
        advance: The nodes of a state so many steps after another, whose number is given.
        fused: Steps that one plan computes at most.
    """
    begin, state = 0, tuple(map(_persisted, state))
    if ends.checkpoints is not None:
        checkpoint = ends.checkpoints.last(ends.steps)
        if checkpoint is not None:
            begin, state = checkpoint
    step, before = begin, state
    finished = _is_last(ends.until, state)
    while not finished and (ends.steps is None or step < ends.steps):
        stop = ends.next_stop(step)
        count = fused if stop is None else min(fused, stop - step)
        nodes = advance([x.node for x in state], step, count)
        step += count
        looked = step == stop
        tests = ends.until([*nodes]) if looked and ends.until is not None else []
        _wait(before)
        before = state
        made = persist(*map(Array, nodes), *map(Array, tests))
        state = made[: len(nodes)]
        if looked and ends.checkpoints is not None and step % ends.every == 0:
            ends.checkpoints.write(step, state)
        finished = any(bool(x.compute()) for x in made[len(nodes) :])
    return state


def _persisted(array: Array) -> Array:
    """An array that steps can read: as it is where it is data, else computed once."""
    return array if isinstance(array.node.operator, Source) else array.persist()


def _is_last(until: Traced | None, state: State) -> bool:
    if until is None:
        return False
    (found,) = until([x.node for x in state])
    return bool(Array(found).compute())


def _wait(state: State) -> None:
    """Wait for a state on a cluster, so that no more than two steps are under way."""
    client = live_client()
    if client is not None and not client.asynchronous:
        distributed = lazy_import("distributed")
        distributed.wait(distributed.futures_of(list(state)))
