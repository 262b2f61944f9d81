"""Slices: parts of blocks, cut on the worker that holds the block, so that less is moved.

A block of a step may need only part of another step's block. On a cluster that part is a task of
its own, on the worker that holds the block, where the bytes it saves outweigh the task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import product
from math import prod
from operator import sub
from typing import Any

import numpy as np

from dask_tapestry.lower.assemble import check_lengths
from dask_tapestry.lower.block_inputs import HeldBlocks
from dask_tapestry.lower.dask_private import GraphNode, TaskRef, written_task
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.lower.symbolic_layer import Key, SymbolicLayer
from dask_tapestry.zspace import Cuts, ZRange, block_box
from dask_tapestry_kernels.block_format import is_foreign
from dask_tapestry_kernels.composite_blocks import Collected


def take_slice(block: Any, slices: tuple[slice, ...], shape: tuple[int, ...]) -> Any:
    """Return part of a block of some shape, as an array of its own, or collected ones."""
    check_lengths(block, shape)
    part = block[slices]
    if is_foreign(part):
        return part
    return part.map(np.array) if isinstance(part, Collected) else np.array(part, order="C")


class SliceLayer(SymbolicLayer):
    """Slices of a source's blocks for one input of a step.

    A key is the block's number, then the slice's first and one-past-last coordinates.
    """

    def __init__(
        self,
        name: str,
        source: str,
        reader: StepSpec,
        place: int,
        annotations: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(name, annotations)
        self.source, self.reader, self.place = source, reader, place

    @property
    def _cuts(self) -> tuple[Cuts, ...]:
        cuts = self.reader.input_cuts[self.place]
        assert cuts is not None
        return cuts

    @property
    def grid_shape(self) -> tuple[int, ...]:
        return (len(self),)

    def __iter__(self) -> Iterator[Key]:
        itemsize = self.reader.program.inputs[self.place].dtype.itemsize
        source_blocks = HeldBlocks(self.source, self._cuts, itemsize, self.name)
        if source_blocks.slices is None:
            return
        boxes: set[ZRange] = set()
        yielded: set[Key] = set()
        for index in product(*map(range, self.reader.grid_shape)):
            for box in self.reader.input_boxes(index)[self.place]:
                if box in boxes:
                    continue
                boxes.add(box)
                for key in source_blocks.keys(box):
                    if key[0] == self.name and key not in yielded:
                        yielded.add(key)
                        yield key

    @cached_property
    def _count(self) -> int:
        return sum(1 for _ in self)

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _bounds(self) -> tuple[range, ...]:
        inside = [range(c.extent + 1) for c in self._cuts]
        return (*[range(c.count) for c in self._cuts], *inside, *inside)

    def value_bytes(self, index: tuple[int, ...]) -> int:
        rank = len(self._cuts)
        sides = map(sub, index[2 * rank :], index[rank : 2 * rank])
        cells: int = prod(sides)
        return cells * self.reader.program.inputs[self.place].dtype.itemsize

    def task(self, index: tuple[int, ...]) -> GraphNode:
        rank = len(self._cuts)
        number, lo, hi = index[:rank], index[rank : 2 * rank], index[2 * rank :]
        held = block_box(self._cuts, number)
        part = tuple(map(slice, map(sub, lo, held.lo), map(sub, hi, held.lo)))
        block: Key = (self.source, *number)
        return written_task(
            (self.name, *index), take_slice, (TaskRef(block), part, held.shape), frozenset([block])
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return SliceLayer, (self.name, self.source, self.reader, self.place, self.annotations)
