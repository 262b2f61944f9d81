"""Windows of stored values, which move from piece to piece of a block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from dask_tapestry.memory.buffer_pool import POOL
from dask_tapestry.steps.window import Window
from dask_tapestry.steps.windows import needs_of
from dask_tapestry.zspace import ZRange

Block = Any
Read = Callable[[Window, ZRange, Block | None, int], Block]


class MovingWindow:
    """The memory of a window, with the cells that pieces need, those of one after the other.

    Parameters
    ----------
    window
        What it shows.
    read
        Reads cells of a window's value, into given memory if the value's source fills that; or
        of the first axis one in so many, the first one first.
    pace
        Of the first axis of the window one cell in so many is needed; others may be anything.
    """

    def __init__(self, window: Window, read: Read, pace: int = 1) -> None:
        self.window, self._read = window, read
        self._pace = pace if window.in_place is None else 1
        self._cells = POOL.empty(window.shape, window.instruction.type.dtype)
        start = window.box.lo[window.axis]
        self.box = window.box.replace(window.axis, start, start)

    def move(self, need: ZRange) -> None:
        """Have the cells `need`, keep what of them is there, and read the others once."""
        window, axis = self.window, self.window.axis
        low, high = self.box.lo[axis], self.box.hi[axis]
        start, stop = need.lo[axis], need.hi[axis]
        if stop <= high:
            return
        if window.in_place is not None:  # whole chunks alone are read
            start = min(start, high)
        end, overlap = window.end(stop), max(0, high - start)
        if end - start > window.length or not window.box.contains(need):
            return  # the plan knows only some pieces: `cells` reads it by itself
        if overlap and start != low:
            self._cells_between(0, overlap)[...] = self._cells_between(start - low, high - low)
        missing = window.box.replace(axis, max(start, high), end)
        place = self._cells_between(overlap, overlap + missing.shape[axis])
        skipped = (window.box.lo[0] - missing.lo[0]) % self._pace
        if skipped < missing.shape[0]:
            missing = missing.replace(0, missing.lo[0] + skipped, missing.hi[0])
            to = place[skipped:]
            cells = self._read(window, missing, to, self._pace)
            if cells is not to:
                to[...] = cells
        self.box = window.box.replace(axis, start, end)

    def cells(self, need: ZRange) -> Block:
        """Cells of the window's value."""
        if not self.box.contains(need):
            return self._read(self.window, need, None, 1)
        there = self._cells_between(0, self.box.shape[self.window.axis])
        return there[need.index(self.box)]

    def _cells_between(self, start: int, stop: int) -> Block:
        return self._cells[(slice(None),) * self.window.axis + (slice(start, stop),)]


class ShownValue:
    """A stored value, of which each box that a block needs has a window.

    Parameters
    ----------
    windows
        Those of the value.
    """

    def __init__(self, windows: Sequence[MovingWindow]) -> None:
        self._windows = windows
        self._held = [window.window.box for window in windows]

    def move(self, boxes: Sequence[ZRange]) -> None:
        """Move each window to what a piece needs of its box."""
        for window, need in zip(self._windows, needs_of(boxes, self._held), strict=True):
            if need is not None:
                window.move(need)

    def cells(self, need: ZRange) -> Block:
        """Cells of the value."""
        windows = self._windows
        return next((one for one in windows if one.box.contains(need)), windows[0]).cells(need)


def shown_values(windows: Sequence[MovingWindow]) -> list[ShownValue]:
    """The values that some windows show, by number."""
    by_number: dict[int, list[MovingWindow]] = defaultdict(list)
    for one in windows:
        by_number[one.window.number].append(one)
    return [ShownValue(by_number[number]) for number in sorted(by_number)]
