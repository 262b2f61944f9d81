"""Peak memory of a computation, measured in this process beside what its plan predicts."""

import gc
import re
from pathlib import Path

import pytest

import dask_tapestry as dt
from dask_tapestry.memory.buffer_pool import POOL

STATUS, REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")
SPARE = 64 * 2**20  # bytes of kernels, and of what they have for themselves

needs_counters = pytest.mark.skipif(
    not REFERENCES.exists(), reason="only Linux counts peaks that can be begun anew"
)


def status(counter):
    """A counter of this process's memory, in bytes."""
    return 1024 * int(re.search(rf"{counter}:\s+(\d+) kB", STATUS.read_text())[1])


def peak_of(array):
    """Bytes that computing `array` takes at most above what the process holds; and its plan's.

    It is computed once before: libraries and kernels, up to 50 MB of them, are loaded then.
    """
    predicted = dt.plan(array).cost["peak_worker_bytes"]
    array.compute()
    POOL.clean()
    gc.collect()
    REFERENCES.write_text("5")  # the highest so far is what it is now
    before = status("VmRSS")
    array.compute()
    return status("VmHWM") - before, predicted
