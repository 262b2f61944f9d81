"""Cells of an array in a file, read straight to where they are wanted and written from there.

A reader that is given the file's bytes copies them to their place, through memory that the system
clears page by page first. Here the system's own copy is the only one where whole rows are wanted;
otherwise bytes go through a scratch memory that a core's cache holds. The same holds for writing.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final

import numpy as np

from dask_tapestry.io.tuning import (
    COPY_ALIGNED_BYTES,
    COPY_PAGE_BYTES,
    READ_SCRATCH_BYTES,
    READ_THROUGH_BYTES,
    ROWS_A_CALL,
    SHORTEST_ROW_BYTES,
    SKIPPED_ROW_BYTES,
)

Block = np.ndarray[Any, Any]
Part = tuple[slice, ...]
Move = Callable[..., int]  # os.preadv or os.pwritev


_local: Final = threading.local()


class CellFile:
    """An open file that holds C-ordered arrays of one dtype.

    Parameters
    ----------
    number
        The file's descriptor.
    dtype
        Of the cells, in the byte order in which they are stored.
    """

    def __init__(self, number: int, dtype: np.dtype[Any]) -> None:
        self._number, self._dtype = number, dtype

    def fill(self, at: int, sides: Sequence[int], part: Part, out: Block) -> None:
        """Fill `out` with the cells `part` of an array of `sides` that begins at byte `at`.

        Raises
        ------
        EOFError
            If the file ends before.
        """
        if not out.nbytes:
            return
        row = prod(sides[1:]) * self._dtype.itemsize
        if all(p == slice(0, n) for p, n in zip(part[1:], sides[1:], strict=True)):
            self._in_order(at + (part[0].start * row if part else 0), out, os.preadv)
            return
        first, last = part[0].start, part[0].stop
        run = row // sides[1] * (part[1].stop - part[1].start)  # holds all that is wanted of a row
        if row - run >= SKIPPED_ROW_BYTES and _is_filled_by_runs(out, run, self._dtype):
            self._runs(at + first * row + row // sides[1] * part[1].start, row, out)
            return
        if row >= READ_SCRATCH_BYTES:
            for number in range(first, last):
                self.fill(at + number * row, sides[1:], part[1:], out[number - first])
            return
        for top in range(first, last, READ_SCRATCH_BYTES // row):
            end = min(top + READ_SCRATCH_BYTES // row, last)
            cells = self._scratch((end - top, *sides[1:]), at + top * row)
            self._move(os.preadv, [bytes_of(cells)], at + top * row)
            out[top - first : end - first] = cells[(slice(None), *part[1:])]

    def fill_some(self, at: int, sides: Sequence[int], part: Part, out: Block, every: int) -> None:
        """Like `fill`, but only every so many rows, from the first on; all if that costs less.

        Raises
        ------
        EOFError
            If the file ends before.
        """
        row = prod(sides[1:]) * self._dtype.itemsize
        inner = zip(part[1:], sides[1:], strict=True)
        run = row // sides[1] * (part[1].stop - part[1].start) if len(sides) > 1 else row
        whole = all(p == slice(0, n) for p, n in list(inner)[1:])
        rows = out[::every]
        skips = whole and row * every - run >= SKIPPED_ROW_BYTES and len(rows) > 0
        if skips and _is_filled_by_runs(rows, run, self._dtype):
            first = part[0].start * row + (row // sides[1] * part[1].start if run < row else 0)
            self._runs(at + first, row * every, rows)
        else:
            self.fill(at, sides, part, out)

    def _runs(self, at: int, distance: int, out: Block) -> None:
        """Fill each row of `out` from where it lies in the file, rows at a distance in bytes.

        Of rows that lie close many are read by a call, which reads what is between them as well, to
        where a cache holds it.
        """
        rows = list(out.reshape(len(out), -1).view(np.uint8))
        between = distance - len(rows[0])
        together, others = 1, list[Block]()
        if between <= READ_THROUGH_BYTES:
            unwanted = self._scratch((between,), 0).view(np.uint8)[:between]
            together, others = ROWS_A_CALL // 2, [unwanted]
        for first in range(0, len(rows), together):
            some, start = rows[first : first + together], at + first * distance
            places: Sequence[Any] = [place for row in some for place in (row, *others)][
                : 2 * len(some) - 1
            ]
            moved = os.preadv(self._number, places, start)
            for number in range((moved + between) // distance, len(some)):  # after a short read
                self._move(os.preadv, [some[number]], start + number * distance)

    def put(self, at: int, cells: Block) -> None:
        """Write cells one after the other from byte `at` on."""
        if cells.nbytes:
            self._in_order(at, cells, os.pwritev)

    def read_bytes(self, at: int, out: Block) -> None:
        """Fill an array of bytes with those from byte `at` on.

        Raises
        ------
        EOFError
            If the file ends before.
        """
        self._move(os.preadv, [out], at)

    def _in_order(self, at: int, cells: Block, move: Move) -> None:
        """Read or write cells that lie one after the other in the file, wherever they are here."""
        same = cells.dtype == self._dtype
        if same and cells.flags.c_contiguous:
            self._move(move, [bytes_of(cells)], at)
        elif cells.nbytes <= READ_SCRATCH_BYTES or not cells.ndim:
            self._through_scratch(at, cells, move)
        elif same and cells[0].flags.c_contiguous and cells[0].nbytes >= SHORTEST_ROW_BYTES:
            self._move(move, list(cells.reshape(len(cells), -1).view(np.uint8)), at)  # views
        elif len(cells) == 1:
            self._in_order(at, cells[0], move)
        else:
            row = cells[0].nbytes
            step = max(1, READ_SCRATCH_BYTES // row)
            for top in range(0, len(cells), step):
                self._in_order(at + top * row, cells[top : top + step], move)

    def _through_scratch(self, at: int, cells: Block, move: Move) -> None:
        reads = move is os.preadv
        copied = self._scratch(cells.shape, at if reads else at + COPY_ALIGNED_BYTES - 1)
        if not reads:
            copied[...] = cells
        self._move(move, [bytes_of(copied)], at)
        if reads:
            cells[...] = copied

    def _scratch(self, shape: tuple[int, ...], at: int) -> Block:
        """Cells in the memory that the next call takes, too; they lie in a page as byte `at`."""
        size = prod(shape) * self._dtype.itemsize
        room = getattr(_local, "scratch", None)
        if room is None or len(room) < size + COPY_PAGE_BYTES:
            fresh = np.empty(max(size, READ_SCRATCH_BYTES) + 2 * COPY_PAGE_BYTES, np.uint8)
            room = _local.scratch = fresh[-fresh.ctypes.data % COPY_PAGE_BYTES :]
        start = at % COPY_PAGE_BYTES // COPY_ALIGNED_BYTES * COPY_ALIGNED_BYTES
        cells: Block = room[start : start + size].view(self._dtype).reshape(shape)
        return cells

    def _move(self, move: Move, places: Sequence[Any], at: int) -> None:
        """Read or write arrays of bytes, all of one length, one after the other from `at` on."""
        length = len(places[0])
        first = row_bytes = 0  # whole rows, and bytes of the next one
        while first < len(places):
            rows = places[first : first + ROWS_A_CALL]
            if row_bytes:
                rows = [rows[0][row_bytes:], *rows[1:]]
            moved = move(self._number, rows, at)
            if not moved:
                raise EOFError(f"the file ends at byte {at}")
            at, row_bytes = at + moved, row_bytes + moved
            first, row_bytes = first + row_bytes // length, row_bytes % length


def rows_of(sides: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """Sides of what is planned to be read as a whole, of an array of `sides` in a file.

    Less is read of long rows, but plans are made for whole ones: planned for parts of rows, blocks
    of 3650 x 250 x 200 cells opened files eight times as often.

    Examples
    --------
    >>> rows_of((2000, 2000), 8), rows_of((10, 721, 1440), 8)
    ((1, 2000), (1, 1, 1440))
    """
    found = list(sides)
    for axis in range(len(found)):
        found[axis] = 1
        if prod(sides[axis + 1 :]) * itemsize < READ_SCRATCH_BYTES:
            break
    return tuple(found)


def _is_filled_by_runs(out: Block, run: int, dtype: np.dtype[Any]) -> bool:
    """Whether a run of bytes is just what each row of `out` holds, one after the other."""
    row: Block = out[0]
    return out.dtype == dtype and row.nbytes == run and bool(row.flags.c_contiguous)


def bytes_of(cells: Block) -> Block:
    """The bytes of cells that lie one after the other, as they are in memory."""
    return cells.reshape(-1).view(np.uint8)


def part_of(cells: Block, part: Part) -> Block:
    """A view of some cells, also of an array without dimensions."""
    where: tuple[Any, ...] = (*part, ...)
    view: Block = cells[where]
    return view
