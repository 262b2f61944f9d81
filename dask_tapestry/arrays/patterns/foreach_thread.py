"""`foreach_thread`: a body that is run once for each of many threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from dask_tapestry.amounts import integer, is_one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.effect import Effect
from dask_tapestry.arrays.patterns.thread_kinds import Box, check_kinds, check_written, cut
from dask_tapestry.arrays.patterns.thread_trace import (
    ADVICE,
    Concurrently,
    InsertSlice,
    Nested,
    ThreadTrace,
    outer_trace,
    tracing,
)
from dask_tapestry.arrays.patterns.thread_writes import check_events, written
from dask_tapestry.arrays.tuning import MOST_THREAD_KINDS
from dask_tapestry.cells.references import zero_cell
from dask_tapestry.errors import ArgumentError, TraceError
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.functions.user_function import name_of
from dask_tapestry.operators.generators.full import full
from dask_tapestry.operators.generators.symbol import symbol
from dask_tapestry.operators.threads.affine_cells import affine_of
from dask_tapestry.operators.threads.thread_inserts import (
    ThreadInsert,
    inserted,
    thread_cells,
)
from dask_tapestry.operators.threads.thread_kinds import ThreadsDifferError
from dask_tapestry.operators.threads.thread_slice import part_of, thread_slice
from dask_tapestry.operators.threads.thread_tiles import pieces
from dask_tapestry.operators.threads.threads import Threads, replaced
from dask_tapestry.operators.views.broadcast import broadcast
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Node, Tensor, TensorType
from dask_tapestry.teg.node import topological

__all__ = ["foreach_thread"]


@checked
def foreach_thread(
    body: Callable[..., Concurrently | None],
    num_threads: int | Sequence[int],
    *,
    on_overlap: Literal["error", "last"] = "error",
    check: bool = False,
) -> Any:
    """Run a body once for each of many threads, all at the same time.

    The body is called once, with symbols for the thread's numbers, and becomes one operator of all
    threads, which is cut as any other. It takes parts of arrays with `extract_slice`, computes with
    them as with any arrays, and says what it makes: it returns ``perform_concurrently(...)``, or
    writes to arrays that exist by `subview` and returns None. Threads within threads become one
    space of threads.

    Where the body asks for a value of threads' numbers, as ``min(4, n - 4 * i)`` does for the size
    of the last tile, it is called once for each kind of threads, of which there are at most 64.

    Source: MLIR's RFC of `foreach_thread`.

    {Parameters}
        body: Called with a number for each dimension of `num_threads`.
        num_threads: How many threads there are; a tuple for a space of several dimensions.
        on_overlap: ``"error"`` refuses threads of which two write one cell, ``"last"`` lets the
            highest win.
        check: Refuse it also where only computed offsets tell. Without it the highest wins there.
    {Returns} Array or tuple of Array or Effect: For each insert the array with all parts in it; or
        a lazy write.
    {Raises}
        TraceError: If the body asks for a thread's number, or for the value of a thread.
        ShapeError: If a thread reads or writes cells that are not there.
        ConstraintError: If two threads write one cell.
        ArgumentError: If `num_threads` or `on_overlap` is none.
    {See Also} extract_slice, parallel_insert_slice, perform_concurrently, subview, block_operator

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> a, b = dt.asarray(np.eye(4)), dt.asarray(np.arange(16.0).reshape(4, 4))
    >>> def body(i, j):
    ...     rows = dt.extract_slice(a, [2 * i, 0], [2, 4])
    ...     columns = dt.extract_slice(b, [0, 2 * j], [4, 2])
    ...     product = dt.parallel_insert_slice(rows @ columns, dt.zeros((4, 4)), [2 * i, 2 * j])
    ...     return dt.perform_concurrently(product)
    >>> dt.patterns.foreach_thread(body, (2, 2))[1].compute()
    array([4., 5., 6., 7.])
    """
    if not is_one_of(on_overlap, ("error", "last")):
        raise ArgumentError(f"on_overlap is 'error' or 'last', not {on_overlap!r}")
    name, last = name_of(body), on_overlap == "last"
    outer, kinds = outer_trace(), _kinds(body, name_of(body), _extents(num_threads))
    if len({None if one is None else len(one.inserts) for _, one in kinds}) > 1:
        raise TraceError(f"{name}: threads of different sizes or conditions make different results")
    if kinds[0][1] is None:
        return _written(name, [trace for trace, _ in kinds], outer, last, check)
    nested_results: list[list[Nested]] = []
    for trace, returned in kinds:
        if trace.writes:
            raise TraceError(f"{name} returns inserts and writes to subviews: do one of the two")
        assert returned is not None
        nested_results.append([_nested(insert, trace, last, check) for insert in returned.inserts])
    around = len(kinds[0][0].outer_space.ids)
    for alike in zip(*nested_results, strict=True):
        check_kinds(name, alike, [trace.own for trace, _ in kinds], around)
    nodes: list[Tensor] = []
    for (trace, _), inserts in zip(kinds, nested_results, strict=True):
        if outer is None:
            check_events(name, trace.events)
            nodes = _results(_chained_inserts(inserts, nodes), trace)
        else:
            outer.has(trace)
            nodes = [_nested_symbol(insert, outer) for insert in _chained_inserts(inserts, nodes)]
    results = [Array(node) for node in nodes]
    return results[0] if len(results) == 1 else tuple(results)


def _kinds(
    body: Callable[..., Any], name: str, extents: tuple[int, ...]
) -> list[tuple[ThreadTrace, Concurrently | None]]:
    """The body, traced for each box of threads that are alike, in the order of their numbers."""
    todo: list[Box] = [tuple((0, n) for n in extents)]
    traces: list[tuple[ThreadTrace, Concurrently | None]] = []
    while todo:
        trace = ThreadTrace.begun(name, todo.pop())
        try:
            traces.append((trace, _called(body, trace, name)))
        except ThreadsDifferError as error:
            if error.number not in trace.ids:
                raise
            todo += reversed(cut(trace.own, trace.ids.index(error.number), error.cuts))
        if len(todo) + len(traces) > MOST_THREAD_KINDS:
            raise TraceError(
                f"{name}: sizes and conditions tell more than {MOST_THREAD_KINDS} kinds of threads "
                "apart: take parts of one size and choose with where"
            )
    if len(traces) > 1 and any(trace.events for trace, _ in traces):
        raise TraceError(f"{name}: threads that wait for others take parts of one size")
    return traces


def _written(
    name: str, traces: Sequence[ThreadTrace], outer: ThreadTrace | None, last: bool, check: bool
) -> Effect | None:
    """What bodies that return nothing write: at once, or with the threads around them."""
    if not any(trace.writes for trace in traces):
        raise TraceError(f"{name} neither writes nor returns what perform_concurrently makes")
    for trace in traces:
        for n, (target, insert) in enumerate(trace.writes):
            trace.writes[n] = target, insert._replace(last=insert.last or last, check=check)
    check_written(name, [trace.writes for trace in traces], len(traces[0].outer_space.ids))
    if outer is not None:
        for trace in traces:
            outer.has(trace)
        return None
    writes = [
        (target, _resolved(insert, trace)) for trace in traces for target, insert in trace.writes
    ]
    events = [insert for trace in traces for insert in trace.events]
    return written(name, writes, events, set().union(*[trace.reads for trace in traces]))


def _chained_inserts(made: Sequence[Nested], before: Sequence[Tensor]) -> list[Nested]:
    """Inserts of one kind of threads, into what the kinds before it have made."""
    if not before:
        return list(made)
    return [replace(one, into=node) for one, node in zip(made, before, strict=True)]


def _extents(num_threads: int | Sequence[int]) -> tuple[int, ...]:
    given = num_threads if isinstance(num_threads, Sequence) else (num_threads,)
    try:
        extents = tuple(integer(n) for n in given)
    except TypeError as error:
        raise ArgumentError(f"num_threads is an integer or a tuple: {num_threads!r}") from error
    if not extents or min(extents) < 0:
        raise ArgumentError(f"num_threads is at least 0 along each dimension: {num_threads!r}")
    return extents


def _called(body: Callable[..., Any], trace: ThreadTrace, name: str) -> Concurrently | None:
    try:
        with tracing(trace):
            returned = body(*[Array(one) for one in trace.numbers])
    except TraceError as error:
        why = str(error).partition("\n")[0]
        raise TraceError(f"{name} cannot be traced: {why}") from error
    if isinstance(returned, InsertSlice) or not isinstance(returned, Concurrently | None):
        kind = type(returned).__name__
        raise TraceError(f"{name} must return what perform_concurrently makes, or None, not {kind}")
    return returned


def _nested(one: InsertSlice, trace: ThreadTrace, last: bool, check: bool) -> Nested:
    insert = ThreadInsert(
        trace.threads, one.value, one.starts, one.strides, one.into.type, last, check
    )
    return Nested(insert, one.into, trace.outer_space)


def _nested_symbol(one: Nested, outer: ThreadTrace) -> Tensor:
    """A symbol for the result of inner threads, for the body around them."""
    type_ = one.into.type
    promise = symbol("a result of threads", ADVICE, type_.dtype, type_.shape)
    outer.nested[promise] = one
    return promise


def _results(nested_inserts: Sequence[Nested], trace: ThreadTrace) -> list[Tensor]:
    """The arrays of the outermost threads."""
    own = set(trace.threads.ids) | set(trace.nested)
    for nested in nested_inserts:
        if own & set(topological([nested.into])):
            raise TraceError(
                f"{trace.threads.name}: what is inserted into is the same for all threads"
            )
    cells = thread_cells(
        [_resolved(nested.insert, trace, nested.into) for nested in nested_inserts]
    )
    pairs = zip(nested_inserts, cells, strict=True)
    return [inserted(nested.into, found) for nested, found in pairs]


def _resolved(insert: ThreadInsert, trace: ThreadTrace, into: Tensor | None = None) -> ThreadInsert:
    """The insert without results of inner threads: these are threads of one space, or come before.

    Where all that a thread inserts is what its inner threads made, these insert it themselves.
    """
    inner = trace.nested.get(insert.value)
    while inner is not None and _follows(inner, insert, into):
        starts = zip(insert.starts, inner.insert.starts, insert.strides, strict=True)
        insert = ThreadInsert(
            inner.insert.threads._replace(name=insert.threads.name),
            inner.insert.value,
            tuple(
                elementwise("add", a, elementwise("multiply", b, np.int64(k))) for a, b, k in starts
            ),
            tuple(a * b for a, b in zip(insert.strides, inner.insert.strides, strict=True)),
            insert.into,
            insert.last and inner.insert.last,
            insert.check or inner.insert.check,
        )
        inner = trace.nested.get(insert.value)
    values = _computed([insert.value, *insert.starts], trace)
    return insert._replace(value=values[0], starts=tuple(values[1:]))


def _follows(inner: Nested, insert: ThreadInsert, into: Tensor | None) -> bool:
    """Whether inner threads may insert for the outer one: what they leave is there already."""
    part = part_of(inner.into)
    if part is not None and part.whole is into and part.strides == insert.strides:
        here, there = (
            [affine_of(start, insert.threads.ids) for start in starts]
            for starts in (insert.starts, part.starts)
        )
        if None not in here and here == there:
            return True
    (name, ids, extents, _), count = inner.insert.threads, len(inner.outer_space.ids)
    own = inner.insert._replace(threads=Threads(name, ids[count:], extents[count:]))
    tiles = own.tiles()
    if tiles is None or not tiles.is_product or not tiles.write_separate_cells():
        return False
    parts = pieces(tiles, 1)
    return parts is not None and parts[0].counts == inner.into.type.shape


def _computed(values: Sequence[Tensor], trace: ThreadTrace) -> list[Tensor]:
    """`values` of a thread, results of inner threads being read from arrays that hold them all."""
    by: dict[Node, Tensor] = {}
    for node in topological(values):
        if node not in trace.nested:
            continue
        nested, shape = trace.nested[node], node.type.shape
        ids, zero = nested.outer_space.ids, full((), np.int64(0))
        starts, sizes = (*ids, *(zero,) * len(shape)), (*(1,) * len(ids), *shape)
        part = thread_slice(_nested_result(nested, trace), starts, sizes, (1,) * len(sizes))
        by[node] = basic_slice(part, (0,) * len(ids))
    return replaced(values, by)


def _nested_result(nested: Nested, trace: ThreadTrace) -> Tensor:
    """A result of inner threads for each thread around them, which its first dimensions count."""
    around, insert = nested.outer_space, nested.insert
    rank, zero = len(around.ids), full((), np.int64(0))
    (into,) = _computed([nested.into], trace)
    type_ = TensorType((*around.extents, *into.type.shape), into.type.dtype)
    lead = (None,) * rank
    if set(around.ids) & set(topological([into])):
        starts = (*around.ids, *(zero,) * into.type.ndim)
        one = ThreadInsert(
            around, basic_slice(into, lead), starts, (1,) * len(starts), type_, False, False
        )
        whole = full(type_.shape, zero_cell(type_.dtype))
        whole = inserted(whole, thread_cells([one])[0])
    else:
        whole = broadcast(into, type_.shape)
    own = insert._replace(
        value=basic_slice(insert.value, lead),
        starts=(*around.ids, *insert.starts),
        strides=(*(1,) * rank, *insert.strides),
        into=type_,
    )
    return inserted(whole, thread_cells([_resolved(own, trace)])[0])
