"""Events: threads that begin when others have ended."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.patterns.thread_trace import current
from dask_tapestry.errors import DTypeError
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.threads.thread_wavefronts import Event
from dask_tapestry.teg import Tensor

__all__ = ["signal", "wait"]

Number = int | Array


def signal(event: Number | Sequence[Number], when: bool | Array = True) -> None:
    """Say, in the body of `foreach_thread`, that an event happens when the thread ends.

    Source: MLIR's RFC of `foreach_thread`, "signal/wait".

    {Parameters}
        event: Its number, or several: what is computed of threads' numbers.
        when: Whether the thread signals it at all, computed of threads' numbers.
    {Raises}
        TraceError: If it is not called in a body.
        {DTypeError.event}
    {See Also} foreach_thread, wait

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> from dask_tapestry import patterns
    >>> target = np.ones(5, int)
    >>> def body(i):
    ...     patterns.wait(i - 1, when=i > 0)
    ...     before = dt.subview(target, [dt.where(i > 0, i - 1, 0)], [1])[...]
    ...     own = dt.subview(target, [i], [1])
    ...     own[...] = own[...] + dt.where(i > 0, before, 0)
    ...     patterns.signal(i)
    >>> patterns.foreach_thread(body, 5).compute()
    >>> target
    array([1, 2, 3, 4, 5])
    """
    _record_event("signal", event, when, waits=False)


def wait(event: Number | Sequence[Number], when: bool | Array = True) -> None:
    """Let a thread of `foreach_thread` begin when all have ended that signal an event.

    Bodies are not interrupted: the whole body of the thread comes after the whole bodies of those
    that signal the event, wherever in them it is written. What it reads by `subview` holds what
    these have written.

    Source: MLIR's RFC of `foreach_thread`, "signal/wait".

    {Parameters}
        event: Its number, or several: what is computed of threads' numbers.
        when: Whether the thread waits at all, computed of threads' numbers.
    {Raises}
        TraceError: If it is not called in a body.
        {DTypeError.event}
    {See Also} foreach_thread, signal

    Examples
    --------
    Threads that wait for each other would never begin, and are refused:

    >>> import numpy as np, dask_tapestry as dt
    >>> from dask_tapestry import patterns
    >>> def body(i):
    ...     patterns.signal(i)
    ...     patterns.wait(1 - i)
    ...     dt.subview(np.zeros(2), [i], [1])[...] = i
    >>> try:
    ...     patterns.foreach_thread(body, 2)
    ... except dt.ConstraintError as error:
    ...     print(str(error).partition(": a thread")[0])
    body: threads (1,), (0,) wait for each other
    """
    _record_event("wait", event, when, waits=True)


def _record_event(
    function: str, event: Number | Sequence[Number], when: bool | Array, *, waits: bool
) -> None:
    trace = current(function)
    numbers = event if isinstance(event, Sequence) else (event,)
    number = tuple(_integer(function, one) for one in numbers)
    trace.events.append(Event(trace.threads, number, _truth(function, when), waits))


def _integer(function: str, number: Number) -> Tensor:
    if not isinstance(number, Array):
        return full((), np.int64(integer(number)))
    if number.ndim or number.dtype.kind not in "iu":
        raise DTypeError(f"{function}: an event is one integer, not {number.node.type}")
    return number.node


def _truth(function: str, when: bool | Array) -> Tensor:
    if not isinstance(when, Array):
        return full((), np.bool_(when))
    if when.ndim or when.dtype.kind != "b":
        raise DTypeError(f"{function}: when is true or false, not {when.node.type}")
    return when.node
