"""Memory between pages that may not be touched: a cell beyond either end ends the process."""

from __future__ import annotations

import ctypes
import mmap
from math import prod
from typing import Any

import numpy as np

PAGE = mmap.PAGESIZE
CANARY = 0xA5
NO_ACCESS = 0  # PROT_NONE
LIBC = ctypes.CDLL(None, use_errno=True)


def _pages(length: int) -> tuple[mmap.mmap, int, int]:
    """Pages for `length` bytes: the map, and where its pages that may be touched begin and end."""
    inner = max(1, -(-length // PAGE)) * PAGE
    memory = mmap.mmap(-1, inner + 2 * PAGE)
    first = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for guard in (first, first + PAGE + inner):
        if LIBC.mprotect(ctypes.c_void_p(guard), PAGE, NO_ACCESS):
            raise OSError(ctypes.get_errno(), "mprotect")
    return memory, first + PAGE, first + PAGE + inner


class Room:
    """Bytes that end at a page that may not be touched, after others that must not change."""

    def __init__(self, length: int) -> None:
        self._memory, self._first, end = _pages(length)
        self.address = end - length
        ctypes.memset(self._first, CANARY, self.address - self._first)

    def is_whole(self) -> bool:
        """Whether nothing was written before its beginning."""
        before = ctypes.string_at(self._first, self.address - self._first)
        return before == bytes([CANARY]) * len(before)


def array(shape: Any, dtype: Any = float, at_end: bool = True) -> np.ndarray:
    """An array as `numpy.empty` makes it, flush with the guard after it, or with that before it."""
    sides = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    kind = np.dtype(dtype)
    length = prod(sides) * kind.itemsize
    memory, first, end = _pages(length)
    offset = (end - length if at_end else first) - ctypes.addressof(
        ctypes.c_char.from_buffer(memory)
    )
    whole = np.frombuffer(memory, np.uint8, length, offset) if length else np.zeros(0, "u1")
    whole[...] = CANARY  # what is read before it is written is no zero
    return whole.view(kind).reshape(sides)


def copied(cells: np.ndarray, at_end: bool = True) -> np.ndarray:
    """The same cells between guards, in the order in which they lie in memory."""
    order = sorted(range(cells.ndim), key=lambda axis: -abs(cells.strides[axis]))
    made = array([cells.shape[axis] for axis in order], cells.dtype, at_end)
    made = made.transpose(np.argsort(order))
    made[...] = cells
    return made
