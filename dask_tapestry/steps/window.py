"""A window: the memory in which a part of a stored value lies while pieces move over it.

It keeps what the next piece needs, and takes in whole chunks what is new.
"""

from __future__ import annotations

from math import prod
from typing import Any, NamedTuple

import numpy as np

from dask_tapestry.steps.program import Instruction
from dask_tapestry.teg import Source
from dask_tapestry.zspace import Cuts, ZRange

Line = tuple[int, ...]
Ends = np.ndarray[Any, Any]


class Window(NamedTuple):
    """Cells of a stored value that are kept in memory.

    Attributes
    ----------
    instruction
        Reads the value.
    box
        What all pieces need of it together.
    axis
        Along which the window moves.
    cuts
        What is read as a whole along the axis; None for any cells.
    length
        Cells along the axis that are in memory at most.
    in_place
        Bytes beside it that reading takes, where it takes in whole chunks alone, which are decoded
        in it; None where chunks may be decoded elsewhere.
    number
        Of the value, among those that windows show: where boxes of it lie apart each has a window.
    """

    instruction: Instruction
    box: ZRange
    axis: int
    cuts: Cuts | None
    length: int
    in_place: int | None = None
    number: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the buffer."""
        shape = self.box.shape
        return (*shape[: self.axis], self.length, *shape[self.axis + 1 :])

    @property
    def nbytes(self) -> int:
        """Bytes of the memory."""
        return prod(self.shape) * self.instruction.type.dtype.itemsize

    @property
    def scratch_bytes(self) -> int:
        """Bytes beside it that reading takes."""
        if self.in_place is not None:
            return self.in_place
        source, axis, lo = self.instruction.operator, self.axis, self.box.lo[self.axis]
        assert isinstance(source, Source)
        first = self.box.replace(axis, lo, min(lo + self.length, self.box.hi[axis]))
        return source.strided_scratch_bytes(first)

    def end(self, stop: int) -> int:
        """Where reading ends that must reach `stop`: with a chunk, or with all that is needed."""
        whole = stop if self.cuts is None or stop < 1 else self.cuts.whole(stop - 1, stop)[1]
        return min(whole, self.box.hi[self.axis])


class MovingNeeds(NamedTuple):
    """What pieces that move along a stored value need of it.

    Attributes
    ----------
    box
        All together.
    axis
        Along which needs move.
    pace
        Cells by which they move on with a step of the output.
    start, stop
        Where the need of a piece would begin that begins at 0, and end that ends at 0.
    """

    box: ZRange
    axis: int
    pace: int
    start: int
    stop: int

    def ends(self, line: Line) -> tuple[Ends, Ends]:
        """Where the needs of the pieces between the edges of a line begin, and end."""
        edges, least, most = np.array(line), self.box.lo[self.axis], self.box.hi[self.axis]
        starts = np.clip(self.start + self.pace * edges[:-1], least, most)
        return starts, np.clip(self.stop + self.pace * edges[1:], least, most)

    def of(self, span: tuple[int, int]) -> tuple[int, int]:
        """Where the need of one piece begins, and ends: in a tenth of the time of arrays."""
        least, most = self.box.lo[self.axis], self.box.hi[self.axis]
        start, stop = self.start + self.pace * span[0], self.stop + self.pace * span[1]
        return min(max(start, least), most), min(max(stop, least), most)


def stored_cuts(source: Instruction, axis: int) -> Cuts | None:
    """What is read as a whole of a stored value along an axis; None for any cells."""
    assert isinstance(source.operator, Source)
    cuts = source.operator.read_cuts
    return None if cuts is None else cuts[axis]


def window_of(source: Instruction, need: MovingNeeds, line: Line, number: int = 0) -> Window:
    """The window that moves from piece to piece, of the value of that number."""
    cuts, axis = stored_cuts(source, need.axis), need.axis
    starts, stops = need.ends(line)
    chunks = stops if cuts is None else _chunk_ends(cuts, stops)
    box, in_place = need.box, None
    if cuts is not None and (whole := _in_whole_chunks(source, need, cuts)) is not None:
        box, in_place = whole
        starts[0] = box.lo[axis]
    ends = np.minimum(chunks, box.hi[axis])
    reads = np.concatenate(([True], stops[1:] > ends[:-1]))  # others find all they need
    return Window(source, box, axis, cuts, int((ends - starts)[reads].max()), in_place, number)


def _in_whole_chunks(
    source: Instruction, need: MovingNeeds, cuts: Cuts
) -> tuple[ZRange, int] | None:
    """The whole chunks that pieces need, and what reading takes if they are decoded in the window.

    None where they are not, where a piece may need none of the one before, where all need the same
    little of them, or where chunks are of several lengths: then the first one does not tell what
    the others take.
    """
    operator, axis = source.operator, need.axis
    assert isinstance(operator, Source)
    lo, hi = need.box.lo[axis], need.box.hi[axis]
    first, last = cuts.whole(lo, lo + 1), cuts.whole(hi - 1, hi)
    chunk = need.box.replace(axis, *first)
    if cuts.edges or any(n > 1 for n in chunk.shape[:axis]) or need.stop < need.start:
        return None
    in_place = operator.scratch_bytes((), chunk)
    whole = need.box.replace(axis, first[0], last[1])
    more = 0 if need.pace else (whole.size - need.box.size) * source.type.dtype.itemsize
    if in_place + more >= operator.strided_scratch_bytes(chunk):
        return None
    return whole, in_place


def _chunk_ends(cuts: Cuts, stops: Ends) -> Ends:
    """Where the chunks end that hold the cells before `stops`."""
    if cuts.edges:
        return np.asarray(cuts.edges)[np.searchsorted(cuts.edges, stops)]
    return np.where(stops > 0, -((cuts.lead - stops) // cuts.step) * cuts.step + cuts.lead, 0)
