"""The share of a machine's processors that this process got: beside other work it measures that."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import perf_counter, thread_time

import numpy as np
from dask.system import CPU_COUNT

from dask_tapestry.arrays.tuning import PROBED_CELLS, PROBED_SECONDS


def processors_got() -> float:
    """The part of all processors, from 0 to 1, that threads get which compute on each of them.

    Only time that a thread computes counts, whoever else runs: other processes, other containers,
    or other threads of this one.

    Examples
    --------
    >>> 0 < processors_got() <= 1
    True
    """
    with ThreadPoolExecutor(CPU_COUNT) as pool:
        parts = list(pool.map(lambda _: _computed(), range(CPU_COUNT)))
    return min(1.0, sum(parts) / CPU_COUNT)


def _computed() -> float:
    """The part of its time for which this thread computes, without the interpreter's lock."""
    cells = np.ones(PROBED_CELLS)
    begun, before = perf_counter(), thread_time()
    while (passed := perf_counter() - begun) < PROBED_SECONDS:
        np.exp(cells, out=cells)
        cells.fill(1.0)
    return (thread_time() - before) / passed
