"""What a process holds in memory now and held at most, from Linux's counters."""

from __future__ import annotations

import ctypes
import gc
import re
from pathlib import Path

from dask_tapestry.memory.buffer_pool import POOL

LIBC = ctypes.CDLL("libc.so.6")
MAPPED, MAPPED_FROM = -3, 2**18  # glibc's M_MMAP_THRESHOLD; larger arrays return what they took
STATUS, REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def status(counter: str) -> int:
    """A counter of this process's memory, in bytes."""
    return 1024 * int(re.search(rf"{counter}:\s+(\d+) kB", STATUS.read_text())[1])


def return_memory() -> None:
    """Have arrays give their memory back to the system when they are gone."""
    LIBC.mallopt(MAPPED, MAPPED_FROM)


def begin() -> int:
    """Bytes that the process holds, once all that is free was given back; peaks begin anew."""
    gc.collect()
    POOL.clean()
    LIBC.malloc_trim(0)
    REFERENCES.write_text("5")
    return status("VmRSS")


def most() -> int:
    """Bytes that the process held at most since `begin`."""
    return status("VmHWM")
