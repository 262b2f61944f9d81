"""Rates of memory: arrays too large for a cache, added by one thread and by all at once."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import Any

import numpy as np
from dask.system import CPU_COUNT

from dask_tapestry.arrays.tuning import COPIED_BYTES, COPIED_BYTES_A_THREAD, COPY_REPEATS

Cells = np.ndarray[Any, Any]


def memory_rates() -> dict[str, float]:
    """Bytes a second of memory: of a thread alone, of one beside others, and fresh."""
    threads = CPU_COUNT
    cells = max(COPIED_BYTES, COPIED_BYTES_A_THREAD * threads) // np.dtype(np.float64).itemsize
    x, out = np.ones(cells), np.ones(cells)
    moved = 2 * x.nbytes
    alone = best(lambda: np.copyto(out, x))
    with ThreadPoolExecutor(threads) as pool:
        parts = [slice(n * cells // threads, (n + 1) * cells // threads) for n in range(threads)]
        shared = best(lambda: list(pool.map(lambda part: np.copyto(out[part], x[part]), parts)))
    size = COPIED_BYTES // 2
    fresh = best(lambda: _touch(size))
    pages = best(lambda: _touch_paged(size))
    return {
        "memory": moved / alone,
        "memory_shared": min(1 / alone, 1 / shared / threads) * moved,
        "fresh": size / fresh,
        "fresh_pages": size / pages,
    }


def _touch(size: int) -> None:
    """Write to each page of an array whose memory comes from the system, which clears it."""
    np.empty(size, np.uint8)[:: mmap.PAGESIZE] = 1


def _touch_paged(size: int) -> None:
    """Touch memory that was allocated without asking for huge pages."""
    with mmap.mmap(-1, size) as memory:
        np.frombuffer(memory, np.uint8)[:: mmap.PAGESIZE] = 1


def best(run: Callable[[], object]) -> float:
    """Least seconds of several runs."""
    times = []
    for _ in range(COPY_REPEATS):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)
