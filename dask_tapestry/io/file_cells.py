"""Cells of an array in a file, read straight to where they are wanted.

A reader that is given the file's bytes copies them to their place, through memory that the system
clears page by page first. Here the system's own copy is the only one where whole rows are wanted;
otherwise bytes go through a scratch memory that a core's cache holds.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    pass

Block = np.ndarray[Any, Any]
Part = tuple[slice, ...]

SCRATCH: Final = 2**20  # bytes read before they are copied, half of a core's cache
SHORTEST: Final = 2**12  # bytes of a row, from which no copy is quicker: a page
ROWS: Final = 1024  # rows in one call to the system, which takes no more

_local: Final = threading.local()


class CellFile:
    """A file, open to be read, that holds C-ordered arrays of one dtype.

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
        if all(p == slice(0, n) for p, n in zip(part[1:], sides[1:], strict=True)):
            row = prod(sides[1:]) * self._dtype.itemsize
            self._fill_in_order(at + (part[0].start * row if part else 0), out)
            return
        row = prod(sides[1:]) * self._dtype.itemsize
        first, last = part[0].start, part[0].stop
        if row >= SCRATCH:
            for number in range(first, last):
                self.fill(at + number * row, sides[1:], part[1:], out[number - first])
            return
        for top in range(first, last, SCRATCH // row):
            end = min(top + SCRATCH // row, last)
            cells = self._scratch(at + top * row, (end - top, *sides[1:]))
            out[top - first : end - first] = cells[(slice(None), *part[1:])]

    def _fill_in_order(self, at: int, out: Block) -> None:
        """Fill `out` with the cells that lie one after the other from byte `at` on."""
        same = out.dtype == self._dtype
        if same and out.flags.c_contiguous:
            self._read_into([_bytes_of(out)], at)
        elif out.nbytes <= SCRATCH or not out.ndim:
            out[...] = self._scratch(at, out.shape)
        elif same and out[0].flags.c_contiguous and out[0].nbytes >= SHORTEST:
            self._read_into([_bytes_of(row) for row in out], at)
        elif len(out) == 1:
            self._fill_in_order(at, out[0])
        else:
            row = out[0].nbytes
            step = max(1, SCRATCH // row)
            for top in range(0, len(out), step):
                self._fill_in_order(at + top * row, out[top : top + step])

    def _scratch(self, at: int, shape: tuple[int, ...]) -> Block:
        """Cells in the memory that the next call takes, too."""
        size = prod(shape) * self._dtype.itemsize
        memory = getattr(_local, "scratch", None)
        if memory is None or len(memory) < size:
            memory = _local.scratch = np.empty(max(size, SCRATCH), np.uint8)
        self._read_into([memory[:size]], at)
        cells: Block = memory[:size].view(self._dtype).reshape(shape)
        return cells

    def _read_into(self, places: Sequence[Any], at: int) -> None:
        """Fill arrays of bytes, one after the other, from byte `at` on."""
        next_ = 0
        while next_ < len(places):
            read = os.preadv(self._number, places[next_ : next_ + ROWS], at)
            if not read:
                raise EOFError(f"the file ends at byte {at}")
            at += read
            while next_ < len(places) and read >= len(places[next_]):
                read -= len(places[next_])
                next_ += 1
            if read:
                places = [places[next_][read:], *places[next_ + 1 :]]
                next_ = 0


def _bytes_of(cells: Block) -> Block:
    return cells.reshape(-1).view(np.uint8)
