"""Traces: what the bodies of `foreach_thread` say while they are called."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from dataclasses import field
from typing import Any, Final

import numpy as np

from dask_tapestry.errors import TraceError
from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.generators.coordinates import INDEX_DTYPE
from dask_tapestry.operators.generators.symbol import answering, symbol
from dask_tapestry.operators.threads.affine_cells import Affine
from dask_tapestry.operators.threads.thread_inserts import ThreadInsert
from dask_tapestry.operators.threads.thread_kinds import same_for_all
from dask_tapestry.operators.threads.thread_wavefronts import Event
from dask_tapestry.operators.threads.threads import Threads
from dask_tapestry.teg import Node, Tensor

ADVICE: Final = (
    "compute with it, choose with where, and take parts of arrays with extract_slice or subview, "
    "not with if, and not with slices, unless threads' numbers alone tell it"
)
Span = tuple[int, int]
_current: ContextVar[ThreadTrace | None] = ContextVar("trace", default=None)


@dataclass(frozen=True)
class InsertSlice:
    """What `parallel_insert_slice` was told; `perform_concurrently` takes it.

    {Attributes}
        value: Of one thread.
        into: The tensor.
        starts: Where its part begins.
        strides: Between the cells of its part.
    """

    value: Tensor
    into: Tensor
    starts: tuple[Tensor, ...]
    strides: tuple[int, ...]


@dataclass(frozen=True)
class Concurrently:
    """What `perform_concurrently` returns, and a body of threads in turn.

    {Attributes} inserts: In the order of the results.
    """

    inserts: tuple[InsertSlice, ...]


@dataclass(frozen=True)
class Nested:
    """A result of threads within threads.

    {Attributes}
        insert: What they write.
        into: The tensor that it goes into.
        outer_space: The space of the threads that they are within.
    """

    insert: ThreadInsert
    into: Tensor
    outer_space: Threads


@dataclass
class ThreadTrace:
    """The space of a body that is being called, those around it included.

    {Attributes}
        threads: All ids, the outermost first.
        own: Of the body's own ids the numbers that it is called for.
        nested: Results of threads within it, by the symbols that stand for them.
        writes: What was written by `subview`: target and insert, in order.
        reads: Sources of the targets that `subview` reads.
        events: What was said by `signal` and `wait`.
    """

    threads: Threads
    own: tuple[Span, ...]
    nested: dict[Node, Nested] = field(default_factory=dict)
    writes: list[tuple[Any, ThreadInsert]] = field(default_factory=list)
    reads: set[Node] = field(default_factory=set)
    events: list[Event] = field(default_factory=list)

    @classmethod
    def begun(cls, name: str, spans: Sequence[Span]) -> ThreadTrace:
        """A trace of a body for a box of threads, within the one that is going on."""
        outer = _current.get()
        around = Threads(name, (), ()) if outer is None else outer.threads
        ids = tuple(symbol("a thread's number", ADVICE, INDEX_DTYPE) for _ in spans)
        extents = (*around.extents, *(b - a for a, b in spans))
        first = (*(0 for _ in around.ids), *(a for a, _ in spans))
        if around.called:
            first = (*(one.constant for one in around.called), *first[len(around.ids) :])
        called = tuple(
            Affine(tuple(int(d == dim) for d in range(len(first))), a)
            for dim, a in enumerate(first)
        )
        threads = Threads(name, (*around.ids, *ids), extents, called if any(first) else ())
        return cls(threads, tuple(spans))

    def has(self, inner: ThreadTrace) -> None:
        """Take over what threads within these have said."""
        self.nested.update(inner.nested)
        self.writes.extend(inner.writes)
        self.reads |= inner.reads
        self.events.extend(inner.events)

    @property
    def ids(self) -> tuple[Node, ...]:
        """The body's own ids, from 0."""
        return self.threads.ids[len(self.threads.ids) - len(self.own) :]

    @property
    def numbers(self) -> tuple[Tensor, ...]:
        """What the body is called with."""
        pairs = zip(self.ids, self.own, strict=True)
        return tuple(elementwise("add", id_, np.int64(a)) if a else id_ for id_, (a, _) in pairs)

    @property
    def outer_space(self) -> Threads:
        """The space around the body's own."""
        count = len(self.threads.ids) - len(self.own)
        name, ids, extents, _ = self.threads
        return Threads(name, ids[:count], extents[:count])


class tracing:  # noqa: N801  (a context, written as one)
    """Context in which a trace is the one that is going on."""

    def __init__(self, trace: ThreadTrace) -> None:
        self._trace = trace

    def __enter__(self) -> None:
        self._token = _current.set(self._trace)
        threads = self._trace.threads
        self._answering = answering.set(lambda value: same_for_all(value, threads))

    def __exit__(self, *error: object) -> None:
        answering.reset(self._answering)
        _current.reset(self._token)


def current(function: str) -> ThreadTrace:
    """The trace that is going on.

    {Raises} TraceError: If none is.
    """
    trace = _current.get()
    if trace is None:
        raise TraceError(f"{function} belongs in the body of a foreach_thread")
    return trace


def outer_trace() -> ThreadTrace | None:
    """The trace that is going on, if any."""
    return _current.get()
