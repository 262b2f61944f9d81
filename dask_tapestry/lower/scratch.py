"""Scratch memory: intermediate arrays of one block, used again by the next.

A fresh array of tens of megabytes costs a page fault for every four kilobytes of it, each time, and
leaves the allocator of every thread with memory it does not give back. Blocks of a step are alike,
so their intermediate arrays are kept and handed on: the image job then holds 251 instead of 279 MiB
(benchmarks/image_job.py --gb 0.5).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from threading import Lock
from typing import Any

import numpy as np

Block = np.ndarray[Any, Any]
SMALLEST = 2**18  # bytes; smaller arrays are cheaper to allocate than to look for
KEPT = 256 * 2**20  # bytes that lie idle at most

_idle: list[Block] = []
_lock = Lock()


class Scratch:
    """Hands out arrays that are all given back together."""

    def __init__(self) -> None:
        self._lent: list[Block] = []

    def array(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Block | None:
        """Return an array with arbitrary cells, or None where a fresh one does as well."""
        size = prod(shape) * dtype.itemsize
        if size < SMALLEST or dtype.hasobject:
            return None
        whole = _take(size)
        self._lent.append(whole)
        return whole[:size].view(dtype).reshape(shape)

    def give_back(self) -> None:
        """Return everything; what was handed out must not be used any more."""
        with _lock:
            _idle.extend(self._lent)
            self._lent.clear()
            _idle.sort(key=len)
            while sum(map(len, _idle)) > KEPT:
                _idle.pop(0)


@contextmanager
def scratch() -> Iterator[Scratch]:
    """Scratch memory for the length of a block."""
    space = Scratch()
    try:
        yield space
    finally:
        space.give_back()


def forget() -> None:
    """Free what lies idle."""
    with _lock:
        _idle.clear()


def _take(size: int) -> Block:
    """Smallest idle buffer that holds `size` bytes and wastes less than half, or a new one."""
    with _lock:
        for number, buffer in enumerate(_idle):
            if size <= len(buffer) <= 2 * size:
                return _idle.pop(number)
    return np.empty(size, np.uint8)
