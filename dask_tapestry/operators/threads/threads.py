"""Threads: the operator that computes a body for each point of a space of ids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dask_tapestry.errors import ShapeError, TraceError
from dask_tapestry.operators.functions.user_function import UserFunction
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.generators.symbol import Symbol
from dask_tapestry.operators.threads.affine_cells import Affine, affine_of
from dask_tapestry.operators.threads.thread_body import Read, ThreadBody, ThreadResult
from dask_tapestry.operators.threads.thread_slice import ThreadSlice
from dask_tapestry.operators.threads.thread_tiles import Tiles
from dask_tapestry.operators.user.block_function import call_blocks
from dask_tapestry.operators.user.user_signature import Form, SignatureSpec
from dask_tapestry.teg import Graph, Kind, Node, Sink, Tensor, apply
from dask_tapestry.teg.node import reapply, topological
from dask_tapestry.zspace import IndexProjection


class Threads(NamedTuple):
    """A space of threads.

    Attributes
    ----------
    name
        Of what they run.
    ids
        The symbols of a thread's numbers.
    extents
        How many there are of each.
    called
        The numbers that a user knows a thread by, of the ids; () where they are these.
    """

    name: str
    ids: tuple[Node, ...]
    extents: tuple[int, ...]
    called: tuple[Affine, ...] = ()

    def shown(self, thread: tuple[int, ...]) -> tuple[int, ...]:
        """The numbers that a user knows a thread by."""
        return tuple(one.of(thread) for one in self.called) if self.called else thread


class ThreadValue(NamedTuple):
    """A value of each thread, and how the values of all of them lie in a tensor.

    Attributes
    ----------
    value
        Of one thread.
    axes
        For each axis of the tensor, the id that it follows, or None; () where the tensor has a
        dimension for each id, and then those of the value.
    """

    value: Tensor
    axes: tuple[int | None, ...] = ()


Given = dict[Node, tuple[Tensor, IndexProjection]]


def thread_values(threads: Threads, requests: Sequence[ThreadValue]) -> tuple[Tensor, ...]:
    """The values of all threads, by one operator that is cut along the ids.

    Raises
    ------
    ShapeError
        If a thread reads cells that are not there.
    TraceError
        If the body does what threads cannot.
    """
    values = [request.value for request in requests]
    windows_read = _thread_reads(threads, values)
    symbols: dict[Node, Tensor] = {
        node: apply(Symbol("what a thread reads", "", f"read {n}", node.type))
        for n, node in enumerate(windows_read)
    }
    for dim, node in enumerate(threads.ids):
        symbols[node] = apply(Symbol("a thread's number", "", f"number {dim}", node.type))
    graph = Graph(replaced(values, symbols))
    number = {node: n for n, node in enumerate(graph.nodes)}
    body = ThreadBody(
        f"{threads.name}{list(threads.extents)}",
        graph,
        tuple(number.get(symbols[node]) for node in threads.ids),
        tuple(Read(number[symbols[node]], window) for node, (_, window) in windows_read.items()),
        tuple(
            ThreadResult(number[r], request.axes)
            for r, request in zip(graph.roots, requests, strict=True)
        ),
    )
    names = tuple(f"t{dim}" for dim in range(len(threads.ids)))
    index = tuple(
        (name, Kind.PARALLEL, extent) for name, extent in zip(names, threads.extents, strict=True)
    )
    lines = tuple((name, (name,)) for name in names)
    reads = tuple((f"x{n}", window) for n, (_, window) in enumerate(windows_read.values()))
    outputs = tuple((f"z{n}", _writes(request, len(names))) for n, request in enumerate(requests))
    written = SignatureSpec(body.__name__, index, (*lines, *reads), outputs)
    tensors = [coordinates((extent,), 0) for extent in threads.extents]
    tensors += [source for source, _ in windows_read.values()]
    dtypes = {f"z{n}": value.type.dtype for n, value in enumerate(values)}
    costs = (("flops", ((names, float(_flops(graph))),)),)
    called = UserFunction.of(body)
    return call_blocks(called, written, tensors, dtypes, costs, scratch=body.scratch)


def _writes(request: ThreadValue, rank: int) -> Form:
    """The projection of what a thread writes."""
    part = request.value.type.shape
    if request.axes:
        rows = [
            tuple(width if dim == axis else 0 for dim in range(rank))
            for axis, width in zip(request.axes, part, strict=True)
        ]
        return IndexProjection(rows, (0,) * len(part), part, in_ndim=rank)
    rows = [tuple(int(dim == axis) for dim in range(rank)) for axis in range(rank + len(part))]
    return IndexProjection(rows, (0,) * len(rows), (*(1,) * rank, *part), in_ndim=rank)


def _thread_reads(threads: Threads, values: Sequence[Tensor]) -> Given:
    """What threads read: windows that ids move, and what is the same for all of them."""
    windows: Given = {}
    own: set[Node] = set(threads.ids)  # nodes whose values differ between threads
    order = topological(values)
    for node in order:
        if isinstance(node.operator, ThreadSlice):
            window = _window(threads, node) if node.inputs[0] not in own else None
            if window is not None:
                windows[node] = (node.inputs[0], window)
            own.add(node)
        elif any(x in own for x in node.inputs):
            own.add(node)
            if isinstance(node.operator, Sink) or node.after:
                raise TraceError(f"{threads.name}: threads write by subview and by inserts alone")
        elif isinstance(node.operator, Symbol) and node not in own:
            raise TraceError(f"{threads.name}: it uses {node.operator.what} of another function")
    reads: Given = {}
    for node in _body_nodes(values, windows, own):
        if node in windows:
            reads[node] = windows[node]
        elif node not in own:
            rank = len(threads.ids)
            reads[node] = (node, IndexProjection.whole(node.type.shape, rank))
    return reads


def _body_nodes(values: Sequence[Tensor], windows: Given, own: set[Node]) -> list[Node]:
    """The nodes of the body, and those that they read; inputs of what is read are none of them."""
    nodes: dict[Node, None] = {}
    stack = list(values)[::-1]
    while stack:
        node = stack.pop()
        if node in nodes:
            continue
        nodes[node] = None
        if node in own and node not in windows:
            stack.extend(reversed(node.inputs))
    return list(nodes)


def _window(threads: Threads, node: Node) -> IndexProjection | None:
    """What threads read of a tensor, where their ids move it; None where cells tell the starts."""
    assert isinstance(node.operator, ThreadSlice)
    x, *starts = node.inputs
    forms = [affine_of(start, threads.ids) for start in starts]
    affine_starts = tuple(form for form in forms if form is not None)
    if len(affine_starts) < len(forms):
        return None
    sizes, strides = node.operator.sizes, node.operator.strides
    tiles = Tiles(affine_starts, sizes, strides, threads.extents)
    thread = None if 0 in sizes else tiles.outside(x.type.shape)
    if thread is not None:
        raise ShapeError(
            f"{threads.name}: thread {threads.shown(thread)} reads {tiles.box(thread)} of {x.type}"
        )
    rows = [form.coefficients for form in affine_starts]
    constants = [form.constant for form in affine_starts]
    return IndexProjection(rows, constants, sizes, strides, in_ndim=len(threads.ids))


def _flops(graph: Graph) -> int:
    """Operations of one thread."""
    return sum(
        node.operator.flops(node.input_types, node.type.box)
        for node in graph
        if not isinstance(node.operator, Symbol | ThreadSlice)
    )


def replaced(roots: Sequence[Tensor], by: Mapping[Node, Tensor]) -> list[Tensor]:
    """`roots`, with the nodes that `by` names replaced."""
    by_node: dict[Node, Tensor] = {}
    stack = list(roots)
    while stack:
        node = stack[-1]
        if node in by:
            by_node[node] = by[node]
        missing = [] if node in by_node else [x for x in node.inputs if x not in by_node]
        if missing:
            stack.extend(missing)
            continue
        if node not in by_node:
            by_node[node] = reapply(node, [by_node[x] for x in node.inputs], node.after)
        stack.pop()
    return [by_node[root] for root in roots]
