"""Loops whose steps are arrays of the step before: `iterate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dask_tapestry.amounts import function as callable_argument
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.loops.checkpoints import Checkpoints
from dask_tapestry.arrays.loops.identity import identity_of
from dask_tapestry.arrays.loops.loop_runs import (
    Ends,
    State,
    checked_ends,
    ending,
    one_by_one,
    run,
    state_of,
)
from dask_tapestry.arrays.loops.traced_functions import (
    StateField,
    Traced,
    as_fields,
    graph_of,
    takes_time,
    traced,
)

__all__ = ["iterate"]


def iterate(
    step: Callable[..., Any],
    state: Any,
    steps: int | None = None,
    *,
    until: Callable[..., Any] | None = None,
    every: int | None = None,
    checkpoint: Any = None,
) -> Array | tuple[Array, ...]:
    """Apply a step to a state again and again: ``state = step(*state)``.

    It computes: each state is persisted, and only the last two are kept, in this process or on the
    workers of a client. The step is called once, with arrays that have no cells yet; what it makes
    of them is the graph of every step, which is planned once.

    Source: Tapestry whitepaper, "Control Flow": expressions that are injected again.

    {Parameters}
        step: Called with the arrays of the state, and with the number of the step, from 0, as a 0-d
            int64 array, if it takes one argument more. It returns the next state: as many arrays,
            of the same shapes and dtypes.
        state: An array of any shape and dtype, or a tuple of several.
        steps: How many steps, at most if `until` is given.
        until: A function of the arrays of a state that gives a 0-d bool array: true of the last
            state. It is called once, and computed with the steps: of the first state, and then
            after every step.
        every: Look, by `until` and for `checkpoint`, at every so many steps only. By default
            `until` looks at each state, so the last one is the first of which it is true; with
            ``every=10`` it may be up to nine steps further.
        checkpoint: A store, as `to_zarr` takes: there the states of every `every` steps are
            written, array i of step k as ``"k/i"``. The same loop, called again with the same
            store, goes on from the last one that is complete, with the same bits. In a folder, a
            state is complete when it is on the disk, also if the power is cut.
    {Returns} Array or tuple of Array: The last state, persisted: one array for one array. With 0
        steps, the state.
    {Raises}
        ArgumentError: If neither `steps` nor `until` is given, `steps` is negative, `checkpoint`
            comes without `every`, or `every` without `checkpoint` and `until`.
        ArgumentTypeError: If `step` does not take or return as many arrays as the state has, or
            `until` does not return a 0-d bool.
        ShapeError, DTypeError: If a step changes a shape or a dtype.
        TraceError: If `step` or `until` computes.
        StoreError: If the store has checkpoints of another loop.
    {See Also} stencil.iterate, persist

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> matrix = dt.asarray(np.diag([3.0, 2.0, 1.0]))
    >>> def power(vector, off):
    ...     longer = matrix @ vector
    ...     longer = longer / dt.linalg.norm(longer)
    ...     return longer, abs(longer - vector).max()
    >>> first = np.ones(3), np.float64(1)
    >>> vector, off = dt.iterate(power, first, 99, until=lambda vector, off: off < 1e-9)
    >>> vector.compute().round(6)
    array([1., 0., 0.])
    """
    callable_argument("step", step)
    first = state_of(state)
    most, interval = checked_ends(steps, until, every, checkpoint)
    fields = [StateField.of(x) for x in first]
    graph = traced_step(step, fields)
    test = ending(until, fields)
    if most == 0:
        return as_given(state, first)
    checkpoints = (
        None
        if checkpoint is None
        else Checkpoints.at(checkpoint, identity_of(graph, first), len(first))
    )

    last = run(first, one_by_one(graph), Ends(most, test, interval, checkpoints))
    return as_given(state, last)


def traced_step(step: Callable[..., Any], fields: Sequence[StateField]) -> Traced:
    """The graph of a step."""
    slots, results = traced(step, fields, timed=takes_time(step, len(fields)))
    return graph_of(slots, as_fields(step, results, fields))


def as_given(state: Any, arrays: State) -> Array | tuple[Array, ...]:
    """An array if the state was given as an array, else a tuple."""
    return arrays if isinstance(state, tuple | list) else arrays[0]
