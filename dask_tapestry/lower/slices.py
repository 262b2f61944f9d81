"""Slices: parts of blocks, cut on the worker that holds the block, so that less is moved.

A block of a step may need only part of another step's block. On a cluster that part is a task of
its own, on the worker that holds the block, where the bytes it saves outweigh the task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from dask.typing import Key as DaskKey

from dask_tapestry.lower.dask_private import GraphNode, Task, TaskRef
from dask_tapestry.lower.step_spec import StepSpec
from dask_tapestry.lower.symbolic_layer import Key, SymbolicLayer
from dask_tapestry.plan.machine import SLICE_SAVES_BYTES
from dask_tapestry.zspace import Cuts, ZRange, block_box, block_range


def block_references(
    source: str, cuts: tuple[Cuts, ...], box: ZRange, itemsize: int, slices: str | None
) -> list[TaskRef]:
    """Return the keys that hold the cells `box`, in C order: those of blocks, or of slices of them.

    Parameters
    ----------
    source, cuts
        First part of the blocks' keys, and how they are cut.
    slices
        First part of the keys of slices; None for whole blocks.
    """
    found = []
    for number in product(*block_range(cuts, box)):
        held = block_box(cuts, number)
        part = held.intersection(box)
        saved = (held.size - part.size) * itemsize
        if slices is None or saved < SLICE_SAVES_BYTES:
            found.append(TaskRef((source, *number)))
        else:
            found.append(TaskRef((slices, *number, *part.lo, *part.hi)))
    return found


def take_slice(block: np.ndarray[Any, Any], slices: tuple[slice, ...]) -> np.ndarray[Any, Any]:
    """Return part of a block, as an array of its own."""
    return np.array(block[slices], order="C")


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
        return (len(list(iter(self))),)

    def __iter__(self) -> Iterator[Key]:
        itemsize = self.reader.program.inputs[self.place].dtype.itemsize
        seen: set[Key] = set()
        for index in product(*map(range, self.reader.grid_shape)):
            for box in self.reader.program.input_boxes(self.reader.box(index))[self.place]:
                for ref in block_references(self.source, self._cuts, box, itemsize, self.name):
                    key: Any = ref.key
                    if key[0] == self.name and key not in seen:
                        seen.add(key)
                        yield key

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __getitem__(self, key: DaskKey) -> GraphNode:
        index = self.index_of(key)
        if len(index) != 3 * len(self._cuts):
            raise KeyError(key)
        return self.task(index)

    def task(self, index: tuple[int, ...]) -> GraphNode:
        rank = len(self._cuts)
        number, lo, hi = index[:rank], index[rank : 2 * rank], index[2 * rank :]
        slices = ZRange(lo, hi).slices(block_box(self._cuts, number))
        return Task((self.name, *index), take_slice, TaskRef((self.source, *number)), slices)

    def __reduce__(self) -> tuple[Any, ...]:
        return SliceLayer, (self.name, self.source, self.reader, self.place, self.annotations)
