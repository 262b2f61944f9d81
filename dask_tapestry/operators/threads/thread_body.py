"""ThreadBody: what threads do, computed for all threads of a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.late_dataclass import dataclass
from dask_tapestry.operators.threads.batched_operators import computed_batch
from dask_tapestry.operators.threads.device_threads import (
    DeviceMemory,
    ThreadDevice,
    why_not_there,
)
from dask_tapestry.operators.threads.fused_threads import Strided, ThreadFormula, is_fused, written
from dask_tapestry.operators.threads.thread_slice import ThreadSlice, check_inside
from dask_tapestry.operators.tuning import THREAD_VALUES_BYTES
from dask_tapestry.operators.user.user_operator import ScratchBytes
from dask_tapestry.teg import Graph, Node
from dask_tapestry.zspace import IndexProjection

Block = np.ndarray[Any, Any]
Span = tuple[int, int]


class Read(NamedTuple):
    """What threads read of an input: the value of a node of the body.

    Attributes
    ----------
    node
        Its number in the body's graph.
    window
        From a thread's ids to the cells that it reads.
    """

    node: int
    window: IndexProjection


class ThreadResult(NamedTuple):
    """What threads write to an output: the value of a node of the body.

    Attributes
    ----------
    node
        Its number in the body's graph.
    axes
        For each axis of the output, the id that it follows, whose steps are as wide as a thread's
        part, or None; () where an output has a dimension for each id, and then a thread's part.
    """

    node: int
    axes: tuple[int | None, ...]


@dataclass(frozen=True)
class ThreadBody:
    """A function of blocks that computes a body for each of its threads.

    It takes the numbers of its threads along each id, and then the cells that these read of each
    input; and returns the cells that they write of each output. Threads are computed many at once:
    a value of the body has leading dimensions for the ids.

    Source: MLIR's RFC of `foreach_thread`.

    Attributes
    ----------
    title
        What the operator is called.
    graph
        The body's, for one thread.
    ids
        The numbers of the nodes that are ids; None for an id that is not asked for.
    reads, results
        What is read, input by input, and what is written, output by output.
    """

    title: str
    graph: Graph
    ids: tuple[int | None, ...]
    reads: tuple[Read, ...]
    results: tuple[ThreadResult, ...]

    @property
    def __name__(self) -> str:
        return self.title

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        digests = [root.digest for root in self.graph.roots]
        return (self.title, digests, self.ids, self.reads, self.results)

    def __call__(self, *blocks: Block) -> Any:
        ids, input_blocks = blocks[: len(self.ids)], blocks[len(self.ids) :]
        extents = tuple(map(len, ids))
        outputs = [_Output.of(self._nodes[r.node], r, extents) for r in self.results]
        if all(extents):
            for spans in self._batches(extents):
                values = self._computed(ids, input_blocks, extents, spans)
                for output, result in zip(outputs, self.results, strict=True):
                    output.places[tuple(slice(a, b) for a, b in spans)] = values[result.node]
        return outputs[0].array if len(outputs) == 1 else tuple(output.array for output in outputs)

    @property
    def thread_body(self) -> ThreadBody:
        """Itself, as what calls it by another name finds it."""
        return self

    def lacking_on(self, device: str) -> str | None:
        """What a kind of device lacks to compute it; None if nothing."""
        reasons = (why_not_there(node, device) for node in self._own)
        return next((why for why in reasons if why is not None), None)

    @cached_property
    def _own(self) -> list[Node]:
        """The nodes that it computes: neither ids nor what it reads."""
        given = {read.node for read in self.reads} | set(self.ids)
        return [node for number, node in enumerate(self._nodes) if number not in given]

    def on_device(
        self, kernels: Mapping[str, Callable[..., Any]], gpu: DeviceMemory, *blocks: Any
    ) -> Any:
        """What it returns, of blocks on a device.

        A body that is a formula of views is one launch a result; others are a few launches a step,
        for as many threads at a time as the host computes together.
        """
        rank = len(self.ids)
        ids, input_blocks = blocks[:rank], blocks[rank:]
        extents = tuple(axis_ids.shape[0] for axis_ids in ids)
        outputs = [_Output.of(self._nodes[r.node], r, extents, gpu.empty) for r in self.results]
        device = ThreadDevice(kernels, gpu, rank)
        whole = all(map(is_fused, self._own))
        for spans in [[(0, n) for n in extents]] if whole else self._batches(extents):
            values = self._on_device(device, ids, input_blocks, extents, spans)
            for output, result in zip(outputs, self.results, strict=True):
                places = output.places[tuple([slice(a, b) for a, b in spans])]
                written(values[result.node], places, gpu.strided, kernels["map"])
            gpu.launch()
        return (
            outputs[0].array if len(outputs) == 1 else tuple([output.array for output in outputs])
        )

    def _on_device(
        self,
        device: ThreadDevice,
        ids: Sequence[Any],
        input_blocks: Sequence[Any],
        extents: Sequence[int],
        spans: Sequence[Span],
    ) -> dict[int, ThreadFormula]:
        """The values of all nodes for a box of threads, by the nodes' numbers."""
        strided, values = device.gpu.strided, dict[int, ThreadFormula]()
        for dim, (number, (a, b)) in enumerate(zip(self.ids, spans, strict=True)):
            if number is not None:
                sides = [b - a if other == dim else 1 for other in range(len(ids))]
                steps = [ids[dim].strides[0] if n > 1 else 0 for n in sides]
                values[number] = ThreadFormula.of(strided(ids[dim][a:b], sides, steps))
        for read, block in zip(self.reads, input_blocks, strict=True):
            values[read.node] = ThreadFormula.of(
                _windows(block, read.window, extents, spans, strided)
            )
        for number, node in enumerate(self._nodes):
            if number not in values:
                inputs = [values[self._number[x]] for x in node.inputs]
                values[number] = device.value(node, inputs)
        return values

    @cached_property
    def _nodes(self) -> tuple[Node, ...]:
        return self.graph.nodes

    @cached_property
    def _number(self) -> dict[Node, int]:
        return {node: number for number, node in enumerate(self._nodes)}

    @cached_property
    def thread_bytes(self) -> int:
        """Bytes of all values of one thread, without what is the same for all of them."""
        shared = {read.node for read in self.reads if not any(map(any, read.window.matrix))}
        return sum(node.type.nbytes for n, node in enumerate(self._nodes) if n not in shared)

    @property
    def scratch(self) -> ScratchBytes:
        """What a call takes: the values of threads that are computed together, and kernels'."""
        kernels = [
            node.operator.scratch_bytes(node.input_types, node.type.box) for node in self._nodes
        ]
        each = self.thread_bytes + max(kernels, default=0)
        return ScratchBytes(each, max(THREAD_VALUES_BYTES, each))

    def _batches(self, extents: Sequence[int]) -> Iterator[tuple[Span, ...]]:
        """Boxes of threads that are computed together, in C order."""
        room = max(1, THREAD_VALUES_BYTES // max(1, self.thread_bytes))
        sides = []
        for dim in range(len(extents)):
            behind = prod(extents[dim + 1 :])
            sides.append(min(extents[dim], max(1, room // behind)))
        steps = [
            [(a, min(a + side, n)) for a in range(0, n, side)]
            for n, side in zip(extents, sides, strict=True)
        ]
        return product(*steps)

    def _computed(
        self,
        ids: Sequence[Block],
        input_blocks: Sequence[Block],
        extents: Sequence[int],
        spans: Sequence[Span],
    ) -> dict[int, Any]:
        """The values of all nodes for a box of threads, by the nodes' numbers."""
        rank = len(ids)
        values: dict[int, Any] = {}
        for dim, (number, (a, b)) in enumerate(zip(self.ids, spans, strict=True)):
            if number is not None:
                sides = [b - a if other == dim else 1 for other in range(rank)]
                values[number] = ids[dim][a:b].reshape(sides)
        for read, block in zip(self.reads, input_blocks, strict=True):
            values[read.node] = _windows(block, read.window, extents, spans)
        for number, node in enumerate(self._nodes):
            if number in values:
                continue
            inputs = [values[self._number[x]] for x in node.inputs]
            if isinstance(node.operator, ThreadSlice):
                values[number] = _gathered(node, inputs, rank)
            else:
                values[number] = computed_batch(node, inputs, rank)
        return values


class _Output(NamedTuple):
    """An output's block, and the same memory with a dimension for each id, then a thread's part."""

    array: Block
    places: Block

    @classmethod
    def of(
        cls,
        node: Node,
        result: ThreadResult,
        extents: tuple[int, ...],
        empty: Callable[..., Block] = np.empty,
    ) -> _Output:
        part, dtype = node.type.shape, node.type.dtype
        if not result.axes:
            array = empty((*extents, *part), dtype)
            return cls(array, array)
        sides: list[int] = []
        order: dict[tuple[bool, int], int] = {}
        for axis, (dim, width) in enumerate(zip(result.axes, part, strict=True)):
            if dim is not None:
                order[False, dim] = len(sides)
                sides.append(extents[dim])
            order[True, axis] = len(sides)
            sides.append(width)
        array = empty(tuple(sides), dtype)
        places = array.transpose([order[key] for key in sorted(order)])
        whole = [
            width if dim is None else extents[dim] * width
            for dim, width in zip(result.axes, part, strict=True)
        ]
        return cls(array.reshape(whole), places)


def _read_only(block: Block, shape: Sequence[int], strides: Sequence[int]) -> Block:
    return np.lib.stride_tricks.as_strided(block, shape, strides, writeable=False)


def _windows(
    block: Block,
    window: IndexProjection,
    extents: Sequence[int],
    spans: Sequence[Span],
    strided: Strided = _read_only,
) -> Block:
    """What each thread of a box reads, as a view: ids that do not move the window have length 1.

    The block holds the cells that all threads of `extents` read.
    """
    starts = []
    for row in window.matrix:
        first = sum(-c * (n - 1) for c, n in zip(row, extents, strict=True) if c < 0)
        starts.append(first + sum(c * a for c, (a, _) in zip(row, spans, strict=True)))
    sides, strides = [], []
    for dim, (a, b) in enumerate(spans):
        steps = [
            row[dim] * stride for row, stride in zip(window.matrix, block.strides, strict=True)
        ]
        moved = any(row[dim] for row in window.matrix)
        sides.append(b - a if moved else 1)
        strides.append(sum(steps))
    begun: tuple[Any, ...] = tuple(slice(start, None) for start in starts)
    cells = block[(*begun, ...)]
    inner = [n * step for n, step in zip(block.strides, window.stride, strict=True)]
    seen: Block = strided(cells, (*sides, *window.shape), (*strides, *inner))
    return seen


def _gathered(node: Node, inputs: Sequence[Block], rank: int) -> Block:
    """Slices whose starts are known only now.

    Raises
    ------
    IndexingError
        If a thread reads cells that are not there.
    """
    operator = node.operator
    assert isinstance(operator, ThreadSlice)
    x, *starts = inputs
    inner = len(operator.sizes)
    indices: list[Any] = []
    for dim in range(rank):
        line = np.arange(x.shape[dim]) if x.shape[dim] > 1 else np.zeros(1, int)
        indices.append(line.reshape([-1 if d == dim else 1 for d in range(rank + inner)]))
    check_inside(operator, starts, x.shape[rank:])
    axes = zip(starts, operator.sizes, operator.strides, strict=True)
    for axis, (start, size, stride) in enumerate(axes):
        cells = stride * np.arange(size)
        line = cells.reshape([-1 if a == axis else 1 for a in range(inner)])
        indices.append(start.reshape(start.shape + (1,) * inner) + line)
    return np.asarray(x[tuple(indices)])
