"""Loops over pieces while they run: the value that pieces write, and the cells that they share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

import numpy as np

from dask_tapestry.lower.frame import Frame, block_frame, piece_frame
from dask_tapestry.lower.instruction_call import called
from dask_tapestry.lower.merged_results import MergedResults
from dask_tapestry.lower.moving_window import MovingWindow, shown_values
from dask_tapestry.lower.output_memory import room_for
from dask_tapestry.lower.read_ahead import pieces_with_reads
from dask_tapestry.lower.values_until_last_use import Block, ValuesUntilLastUse
from dask_tapestry.memory.buffer_pool import POOL
from dask_tapestry.steps.block_schedule import BlockSchedule, LoopEntry
from dask_tapestry.steps.instruction_schedule import Work
from dask_tapestry.steps.streaming import piece_schedule_of
from dask_tapestry.steps.window import Window
from dask_tapestry.teg import Sink
from dask_tapestry.zspace import ZRange


class PieceRun:
    """A value that is computed piece by piece.

    Parameters
    ----------
    entry
        The loop.
    held
        The values around it, of which pieces read.
    out
        Memory for the value, if there is some.

    Attributes
    ----------
    result
        What pieces write into: the value, or what `completion` computes it from.
    """

    def __init__(self, entry: LoopEntry, held: ValuesUntilLastUse, out: Block | None) -> None:
        self._entry, self._held, self._out = entry, held, out
        loop = entry.loop
        types = loop.program.inputs
        self._shown = first = len(types) - loop.shown  # the first input that windows show
        paces = [loop.program.paces.get(first + window.number, 1) for window in loop.windows]
        windows = list(map(MovingWindow, loop.windows, repeat(_read_window), paces))
        self._values = shown_values(windows)
        self._given = self._shown - len(loop.carried)  # the first input that is carried
        carried = zip(loop.carried, types[self._given : self._shown], strict=True)
        self._carried = [np.empty(box.shape, type_.dtype) for box, type_ in carried]
        self.result = _memory(entry, out)
        self._merging = None if loop.merges is None else MergedResults(loop.merges, self.result)

    def frames(self) -> Iterator[Frame]:
        """The pieces in order, each with where its cells go, and the merges of what they yield."""
        loop = self._entry.loop
        for piece, read in pieces_with_reads(loop):
            needs = loop.program.input_boxes(piece)[self._shown :]
            for value, boxes in zip(self._values, needs, strict=True):
                value.move(boxes)
            yield piece_frame(piece_schedule_of(loop, piece), read, self._cells, self._room(piece))
            if self._merging is not None:
                yield from self._merging.frames()

    def _room(self, piece: ZRange) -> Block | None:
        """Where the cells of a piece go."""
        if self._merging is not None:
            return self._merging.room(piece)
        loop, result = self._entry.loop, self.result
        return result if result is None or loop.adds else result[piece.index(loop.box)]

    def completion(self) -> Frame | None:
        """What computes the value from what pieces have written; None where that is the value."""
        loop = self._entry.loop
        if loop.then is None:
            return None
        block = BlockSchedule.whole(loop.then, self._entry.work.box)
        if self._merging is not None:
            return block_frame(block, self._merging.roots(), self._out)
        return block_frame(block, {(0, loop.box): self.result}, self._out)

    def _cells(self, source: int, need: ZRange) -> Block:
        """Cells of an input of the pieces' program: held around the loop, carried, or shown."""
        if source < self._given:
            return self._held.cells(self._entry.inputs[source], need)
        if source >= self._shown:
            return self._values[source - self._shown].cells(need)
        number = source - self._given
        return self._carried[number][need.index(self._entry.loop.carried[number])]


def _memory(entry: LoopEntry, out: Block | None) -> Block | None:
    """Where pieces are written, or added to: `out` where they are the value; None for a sink's."""
    loop, program = entry.loop, entry.loop.program
    if loop.adds:
        return _begun(entry, out)
    if loop.then is None and isinstance(program.instructions[-1].operator, Sink):
        return None
    if loop.then is None and out is not None:
        return out
    shape = list(loop.box.shape)
    if loop.merges is not None:
        shape[loop.merges.axis] = min(shape[loop.merges.axis], loop.merges.kept)
    return room_for(program.type, shape)


def _begun(entry: LoopEntry, out: Block | None) -> Block:
    """The block that pieces add to, as it is before."""
    operator = entry.loop.program.instructions[-1].operator
    total = out
    if total is None:
        shape, axis = list(entry.work.box.shape), operator.outermost
        turned = POOL.empty((shape.pop(axis), *shape), entry.loop.program.type.dtype)
        total = np.moveaxis(turned, 0, axis)
    total[...] = operator.adds_to
    return total


def _read_window(window: Window, box: ZRange, out: Block | None, pace: int) -> Block:
    return called(window.instruction, Work(0, box, ()), [], out, pace)
