"""Symbolic Dask layers: a step's tasks are written out one by one, when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from dask_tapestry.lower.block_input_tables import MovingBlocks, MovingCells, moving_reads
from dask_tapestry.lower.block_inputs import HeldBlocks, HeldCells, References
from dask_tapestry.lower.dask_private import (
    Alias,
    GraphNode,
    Task,
    TaskRef,
    written_task,
)
from dask_tapestry.lower.effect_tasks import barrier, finish_sink, prepare_sink
from dask_tapestry.lower.execute import run_block
from dask_tapestry.lower.result_array import finish_array
from dask_tapestry.lower.result_buffer import REMOTE, ResultBuffer
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.lower.symbolic_layer import Key, SymbolicLayer
from dask_tapestry.lower.symmetric_tasks import source_of, transpose_block
from dask_tapestry.planner.access.access import ClassLeaf
from dask_tapestry.teg import Sink, TensorType
from dask_tapestry.zspace import Cuts, block_range
from dask_tapestry_kernels.block_format import BlockFormat


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

    def value_bytes(self, index: tuple[int, ...]) -> int:
        program = self.spec.program
        if any(isinstance(last.operator, Sink) for last in program.instructions[-1:]):
            return 0
        return program.type.dtype.itemsize * self.spec.box(index).size

    def task(self, index: tuple[int, ...]) -> GraphNode:
        key = (self.name, *index)
        if self.spec.symmetric and (source := source_of(index)) is not None:
            block = TaskRef((self.name, *source))
            return Task(key, transpose_block, self.spec.box(index), self.out, block)
        arguments: list[Any] = [self.spec, index, self.out]
        keys = self._ended
        for references, needed in self._reads(index):
            arguments += references
            keys = keys | needed if keys else needed
        arguments += map(TaskRef, self.after)
        return written_task(key, run_block, tuple(arguments), keys, self._is_first)

    def _reads(self, index: tuple[int, ...]) -> list[References]:
        """For each box of each input that a block reads, in order, what holds it."""
        access = self.spec.access
        if access is None:
            boxes = zip(self._held, self.spec.input_boxes(index), strict=True)
            return [held.of(box) for held, own in boxes for box in own]
        leaf, place = access.leaf(index)
        moving = self._moving.get(leaf)
        if moving is None:
            moving = self._moving[leaf] = moving_reads(self._held, leaf)
        return [each.of(place) for each in moving]

    @cached_property
    def _moving(self) -> dict[ClassLeaf, list[MovingBlocks | MovingCells]]:
        """What blocks read, for the classes of blocks that were met."""
        return {}

    @cached_property
    def _ended(self) -> frozenset[Key]:
        return frozenset(self.after)

    @cached_property
    def _held(self) -> list[HeldBlocks | HeldCells]:
        """What holds each input."""
        types, every = self.spec.program.inputs, (self.inputs, self.spec.input_cuts)
        return [
            HeldCells(source)
            if isinstance(source, np.ndarray)
            else HeldBlocks(source, cuts or (), type_.dtype.itemsize, slices)
            for source, cuts, type_, slices in zip(*every, types, self.slice_layers, strict=True)
        ]

    @cached_property
    def _is_first(self) -> bool:
        """Whether no task reads another's block."""
        return not any(isinstance(source, str) for source in self.inputs)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.spec, self.inputs, self.out, self.after, self.slice_layers, self.annotations)
        return StepLayer, parts


def every_key(source: str, cuts: tuple[Cuts, ...]) -> list[Key]:
    """Keys of all blocks, in C order."""
    return list(product((source,), *[range(c.count) for c in cuts]))


def _task_after(
    key: Key, function: Callable[..., Any], head: tuple[Any, ...], needed: Sequence[Key]
) -> Task:
    """A task that calls a function with the arguments `head`, then the values of keys."""
    return written_task(key, function, (*head, *map(TaskRef, needed)), frozenset(needed))


class GatherLayer(SymbolicLayer):
    """One task that returns a step's whole result."""

    def __init__(
        self,
        name: str,
        source: str,
        cuts: tuple[Cuts, ...],
        out: ResultBuffer,
        copy: bool = False,
        annotations: Mapping[str, Any] | None = None,
        format: BlockFormat | None = None,
    ) -> None:
        super().__init__(name, annotations)
        self.source, self.cuts, self.out, self.copy = source, cuts, out, copy
        self.format = format

    grid_shape = (1,)

    def task(self, index: tuple[int, ...]) -> GraphNode:
        head = (self.cuts, self.out, self.copy, self.format)
        return _task_after(
            (self.name, *index), finish_array, head, every_key(self.source, self.cuts)
        )

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.name, self.source, self.cuts, self.out, self.copy, self.annotations)
        return GatherLayer, (*parts, self.format)


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
        lease: object = None,
    ) -> None:
        super().__init__(name, annotations)
        self.sink, self.type, self.run, self.after = sink, type_, run, after
        self.lease = lease  # on what is written for this compute alone

    def task(self, index: tuple[int, ...]) -> GraphNode:
        head = (self.sink, self.type, self.run)
        return _task_after((self.name, *index), prepare_sink, head, self.after)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.name, self.sink, self.type, self.run, self.after, self.annotations)
        return PrepareLayer, parts


class FinishLayer(SymbolicLayer):
    """One task that completes a store when all its blocks are written."""

    grid_shape = (1,)

    def __init__(
        self,
        name: str,
        source: str,
        cuts: tuple[Cuts, ...],
        sink: Sink,
        annotations: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(name, annotations)
        self.source, self.cuts, self.sink = source, cuts, sink

    def task(self, index: tuple[int, ...]) -> GraphNode:
        return _task_after((self.name, *index), finish_sink, (self.sink,), self._written())

    def _written(self) -> list[Key]:
        """Keys of the blocks that meet what is to be written: of others no task is made."""
        if self.sink.pending is None:
            return every_key(self.source, self.cuts)
        ranges = [block_range(self.cuts, box) for box in self.sink.pending]
        return list(dict.fromkeys(key for each in ranges for key in product((self.source,), *each)))

    def __reduce__(self) -> tuple[Any, ...]:
        return FinishLayer, (self.name, self.source, self.cuts, self.sink, self.annotations)


class _EachBlockLayer(SymbolicLayer):
    """A layer with a task for each block of the layer or collection `source`."""

    def __init__(self, name: str, source: str, cuts: tuple[Cuts, ...]) -> None:
        super().__init__(name)
        self.source, self.cuts = source, cuts

    @property
    def grid_shape(self) -> tuple[int, ...]:
        return tuple(c.count for c in self.cuts)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.source, self.cuts)


class EndedLayer(_EachBlockLayer):
    """A task for each block of a step that waits for it and returns nothing."""

    def task(self, index: tuple[int, ...]) -> GraphNode:
        return _task_after((self.name, *index), barrier, (), [(self.source, *index)])


class AliasLayer(_EachBlockLayer):
    """The blocks of another layer, or of another collection, under another name."""

    def task(self, index: tuple[int, ...]) -> GraphNode:
        return Alias((self.name, *index), (self.source, *index))


class BarrierLayer(SymbolicLayer):
    """One task for a sequence point: it waits for others and returns nothing."""

    grid_shape = (1,)

    def __init__(self, name: str, ended: tuple[Key, ...]) -> None:
        super().__init__(name)
        self.ended = ended

    def task(self, index: tuple[int, ...]) -> GraphNode:
        return _task_after((self.name, *index), barrier, (), self.ended)

    def __reduce__(self) -> tuple[Any, ...]:
        return BarrierLayer, (self.name, self.ended)
