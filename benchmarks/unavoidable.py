"""What the machine needs at least: to copy, read, write, gather and multiply, on all cores.

Each class is told how much there is to do, and is called to do it; `amount` is what its rate is of.
Memory is taken once and used again, as nothing that hands out fresh pages is as quick.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numba
import numpy as np

CORES: Final = os.cpu_count() or 1
POOL: Final = ThreadPoolExecutor(CORES)
CELL: Final = 8


@numba.njit(nogil=True, fastmath=True, cache=False)
def total(cells):
    """The sum of cells, in whatever order is quickest."""
    found = cells.dtype.type(0)
    for i in range(cells.size):
        found += cells[i]
    return found


@numba.njit(nogil=True, fastmath=True, cache=False)
def gathered_sums(x, rows, found):
    """The sum of each row that is named."""
    for i in range(rows.size):
        row = x[rows[i]]
        kept = x.dtype.type(0)
        for j in range(row.size):
            kept += row[j]
        found[i] = kept


def on_all(function: Callable[[slice], Any], length: int) -> None:
    """Call a function with one slab of a range for each core."""
    ends = [length * n // CORES for n in range(CORES + 1)]
    list(POOL.map(function, map(slice, ends[:-1], ends[1:])))


class Memory:
    """Two pieces of memory as long as the longest that was asked for."""

    def __init__(self) -> None:
        self.pieces = [np.ones(0), np.ones(0)]

    def of(self, size: int, piece: int = 0) -> np.ndarray:
        """So many bytes of one of the pieces, as float64."""
        cells = size // CELL
        if len(self.pieces[piece]) < cells:
            self.pieces[piece] = np.ones(cells)
        return self.pieces[piece][:cells]


class Copy:
    """Half of the bytes are read and half are written."""

    unit = "GB/s"

    def __init__(self, memory: Memory, amount: int) -> None:
        self.amount = amount
        self.source, self.target = (memory.of(amount // 2, piece) for piece in (0, 1))

    def __call__(self) -> None:
        on_all(lambda s: np.copyto(self.target[s], self.source[s]), len(self.source))


class Read:
    """The bytes are added up."""

    unit = "GB/s"

    def __init__(self, memory: Memory, amount: int) -> None:
        self.amount, self.source = amount, memory.of(amount)

    def __call__(self) -> None:
        on_all(lambda s: total(self.source[s]), len(self.source))


class Write:
    """The bytes are filled."""

    unit = "GB/s"

    def __init__(self, memory: Memory, amount: int) -> None:
        self.amount, self.target = amount, memory.of(amount, 1)

    def __call__(self) -> None:
        on_all(lambda s: self.target[s].fill(1), len(self.target))


class Gather:
    """Rows that are named are read and added up, one after the other."""

    unit = "GB/s"

    def __init__(self, x: np.ndarray, rows: np.ndarray) -> None:
        self.amount = len(rows) * x[:1].nbytes
        self.x, self.rows, self.found = x, rows, np.empty(len(rows), x.dtype)

    def __call__(self) -> None:
        on_all(lambda s: gathered_sums(self.x, self.rows[s], self.found[s]), len(self.rows))


class Product:
    """Matrices are multiplied, each result by the next, by BLAS on all cores."""

    unit = "GFLOP/s"

    def __init__(self, first: np.ndarray, *others: np.ndarray) -> None:
        self.first, self.others = first, others
        self.amount = sum(2 * len(first) * other.size for other in others)
        self.results = [np.empty((len(first), x.shape[1]), first.dtype) for x in others]

    def __call__(self) -> None:
        left = self.first
        for right, result in zip(self.others, self.results, strict=True):
            left = np.matmul(left, right, out=result)


class Files:
    """The bytes of files are read, and decoded if there is a codec, into memory used again."""

    unit = "GB/s"

    def __init__(self, paths: Sequence[Path], cells: int, codec: Any = None) -> None:
        self.paths, self.codec = paths, codec
        self.amount = cells * CELL
        self.sizes = max(path.stat().st_size for path in paths), self.amount // len(paths)
        self.kept = threading.local()

    def __call__(self) -> None:
        list(POOL.map(self.read, self.paths))

    def read(self, path: Path) -> None:
        if not hasattr(self.kept, "memory"):
            self.kept.memory = [bytearray(size) for size in self.sizes]
        encoded, decoded = self.kept.memory
        with path.open("rb", buffering=0) as file:
            size = file.readinto(encoded)
        if self.codec is not None:
            self.codec.decode(memoryview(encoded)[:size], decoded)


class Together:
    """Several of these, one after the other."""

    def __init__(self, *parts: Callable[[], None]) -> None:
        self.parts = parts

    def __call__(self) -> None:
        for part in self.parts:
            part()
