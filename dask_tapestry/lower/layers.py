"""Symbolic Dask layers: a step's tasks are written out one by one, when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from dask_tapestry.lower.dask_private import DataNode, GraphNode, Task, TaskList, TaskRef
from dask_tapestry.lower.execute import barrier, finish_array, finish_sink, prepare_sink, run_block
from dask_tapestry.lower.result_buffer import REMOTE, ResultBuffer
from dask_tapestry.lower.slices import block_references
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.lower.symbolic_layer import Key, SymbolicLayer
from dask_tapestry.lower.symmetric import source_of, transpose_block
from dask_tapestry.teg import Sink, TensorType
from dask_tapestry.zspace import Cuts, block_box


class StepLayer(SymbolicLayer):
    """The tasks of one step.

    Parameters
    ----------
    inputs
        For each external input: the name of its producer's layer, or the array itself.
    out
        Buffer for results that are wanted as one array.
    after
        Keys that must have ended before any task starts.
    slice_layers
        For each input, the name of the layer that slices its blocks, or None where a task takes
        them whole.
    """

    def __init__(
        self,
        spec: StepSpec,
        inputs: tuple[str | np.ndarray[Any, Any], ...],
        out: ResultBuffer = REMOTE,
        after: tuple[Key, ...] = (),
        slice_layers: tuple[str | None, ...] = (),
        annotations: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(spec.name, annotations)
        self.spec, self.inputs, self.out, self.after = spec, inputs, out, after
        self.slice_layers = slice_layers or (None,) * len(inputs)

    @property
    def grid_shape(self) -> tuple[int, ...]:
        return self.spec.grid_shape

    def task(self, index: tuple[int, ...]) -> GraphNode:
        if self.spec.symmetric and (source := source_of(index)) is not None:
            block = TaskRef((self.name, *source))
            return Task((self.name, *index), transpose_block, self.spec.box(index), self.out, block)
        arguments: list[Any] = [self.spec, index, self.out, self._inputs(index)]
        if self.after:
            arguments.append(TaskList(*map(TaskRef, self.after)))
        reads_keys = any(isinstance(source, str) for source in self.inputs)
        return Task((self.name, *index), run_block, *arguments, _data_producer=not reads_keys)

    def _inputs(self, index: tuple[int, ...]) -> Any:
        """Arrays and references to tasks, in the order in which `run_block` takes them."""
        if not self.inputs:
            return ()
        parts: list[Any] = []
        program = self.spec.program
        boxes = program.input_boxes(self.spec.box(index))
        for place, (source, cuts) in enumerate(zip(self.inputs, self.spec.input_cuts, strict=True)):
            size, slices = program.inputs[place].dtype.itemsize, self.slice_layers[place]
            for box in boxes[place]:
                if isinstance(source, str) and cuts is not None:
                    parts.append(TaskList(*block_references(source, cuts, box, size, slices)))
                elif isinstance(source, np.ndarray):
                    parts.append(source[box.index()])
        return TaskList(*parts) if any(isinstance(part, TaskList) for part in parts) else parts

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.spec, self.inputs, self.out, self.after, self.slice_layers, self.annotations)
        return StepLayer, parts


class GatherLayer(SymbolicLayer):
    """One task that returns a step's whole result."""

    def __init__(
        self, name: str, source: str, cuts: tuple[Cuts, ...], out: ResultBuffer, copy: bool = False
    ) -> None:
        super().__init__(name)
        self.source, self.cuts, self.out, self.copy = source, cuts, out, copy

    grid_shape = (1,)

    def task(self, index: tuple[int, ...]) -> GraphNode:
        numbers = product(*(range(c.count) for c in self.cuts))
        blocks = TaskList(*(TaskRef((self.source, *n)) for n in numbers))
        return Task((self.name, *index), finish_array, self.cuts, self.out, blocks, self.copy)

    def __reduce__(self) -> tuple[Any, ...]:
        return GatherLayer, (self.name, self.source, self.cuts, self.out, self.copy)


class PrepareLayer(SymbolicLayer):
    """One task that makes a store ready for the compute `run`."""

    grid_shape = (1,)

    def __init__(
        self,
        name: str,
        sink: Sink,
        type_: TensorType,
        run: str,
        after: tuple[Key, ...],
        annotations: Any,
    ) -> None:
        super().__init__(name, annotations)
        self.sink, self.type, self.run, self.after = sink, type_, run, after

    def task(self, index: tuple[int, ...]) -> GraphNode:
        arguments: list[Any] = [self.sink, self.type, self.run]
        if self.after:
            arguments.append(TaskList(*map(TaskRef, self.after)))
        return Task((self.name, *index), prepare_sink, *arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.name, self.sink, self.type, self.run, self.after, self.annotations)
        return PrepareLayer, parts


class FinishLayer(SymbolicLayer):
    """One task that completes a store when all its blocks are written."""

    grid_shape = (1,)

    def __init__(self, name: str, source: str, cuts: tuple[Cuts, ...], sink: Sink) -> None:
        super().__init__(name)
        self.source, self.cuts, self.sink = source, cuts, sink

    def task(self, index: tuple[int, ...]) -> GraphNode:
        numbers = product(*(range(c.count) for c in self.cuts))
        blocks = TaskList(*(TaskRef((self.source, *n)) for n in numbers))
        return Task((self.name, *index), finish_sink, self.sink, blocks)

    def __reduce__(self) -> tuple[Any, ...]:
        return FinishLayer, (self.name, self.source, self.cuts, self.sink)


class EndedLayer(SymbolicLayer):
    """A task for each block of a step that waits for it and returns nothing."""

    def __init__(self, name: str, source: str, cuts: tuple[Cuts, ...]) -> None:
        super().__init__(name)
        self.source, self.cuts = source, cuts

    @property
    def grid_shape(self) -> tuple[int, ...]:
        return tuple(c.count for c in self.cuts)

    def task(self, index: tuple[int, ...]) -> GraphNode:
        return Task((self.name, *index), barrier, TaskRef((self.source, *index)))

    def __reduce__(self) -> tuple[Any, ...]:
        return EndedLayer, (self.name, self.source, self.cuts)


class BarrierLayer(SymbolicLayer):
    """One task for a sequence point: it waits for others and returns nothing."""

    grid_shape = (1,)

    def __init__(self, name: str, ended: tuple[Key, ...]) -> None:
        super().__init__(name)
        self.ended = ended

    def task(self, index: tuple[int, ...]) -> GraphNode:
        return Task((self.name, *index), barrier, TaskList(*map(TaskRef, self.ended)))

    def __reduce__(self) -> tuple[Any, ...]:
        return BarrierLayer, (self.name, self.ended)


class ScatteredLayer(SymbolicLayer):
    """Blocks of an array in memory that were sent to the workers while the plan was lowered.

    On the scheduler it has no tasks, as the blocks are known there by key; where it never
    travelled, the blocks are views of the array.
    """

    def __init__(
        self, name: str, cuts: tuple[Cuts, ...], data: np.ndarray[Any, Any] | None = None
    ) -> None:
        super().__init__(name)
        self.cuts, self.data = cuts, data

    @property
    def grid_shape(self) -> tuple[int, ...]:
        return tuple(c.count for c in self.cuts) if self.data is not None else (0,)

    def block(self, index: tuple[int, ...]) -> np.ndarray[Any, Any]:
        """Cells of one block."""
        assert self.data is not None
        return self.data[block_box(self.cuts, index).index()]

    def task(self, index: tuple[int, ...]) -> GraphNode:
        return DataNode((self.name, *index), self.block(index))

    def __reduce__(self) -> tuple[Any, ...]:
        return ScatteredLayer, (self.name, self.cuts)
