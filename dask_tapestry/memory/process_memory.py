"""Memory of this process: how much it may use, and how much may be kept for later."""

from __future__ import annotations

import os
import resource
import sys
from functools import cache

from dask.utils import parse_bytes

from dask_tapestry.memory.tuning import KEPT_BELOW, KEPT_PART, MOST_KEPT_BYTES
from dask_tapestry.settings import setting


def kept_bytes(memory: int) -> int:
    """Bytes of freed arrays that a process with `memory` bytes may keep to use again."""
    chosen = setting("kept-memory")
    return min(MOST_KEPT_BYTES, memory // KEPT_PART) if chosen is None else int(parse_bytes(chosen))


def keepable_bytes(limit: int, kept: int) -> int:
    """Bytes that may be kept of freed arrays, by a process that keeps some and has a limit.

    A worker writes arrays to disk once its process takes so much: it keeps nothing instead of them.
    """
    most = kept_bytes(limit)
    if limit >= machine_memory() or setting("kept-memory") is not None:
        return most
    return max(0, min(most, kept + int(KEPT_BELOW * limit) - _statm()[1]))


def process_memory() -> int:
    """Bytes that this process may use: the limit of its worker, or the machine's memory."""
    worker_module = sys.modules.get("distributed.worker")
    if worker_module is None:
        return machine_memory()
    try:
        limit = worker_module.get_worker().memory_manager.memory_limit
    except (ValueError, AttributeError):
        return machine_memory()
    return int(limit or machine_memory())


def free_memory() -> int:
    """Bytes that this process may still take: of its limits, or of the machine's memory."""
    system = sys.modules.get("distributed.system")  # which knows the limits of containers
    limits = [process_memory(), getattr(system, "MEMORY_LIMIT", None) or machine_memory()]
    mapped, used = _statm()
    left = [limit - used for limit in limits]
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most != resource.RLIM_INFINITY:
        left.append(most - mapped)
    return max(0, min(left))


def _statm() -> tuple[int, int]:
    """Bytes of this process's address space, and those that are in memory; 0 where unknown."""
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:  # not Linux
        return 0, 0
    try:
        pages = os.read(file, 256).split()
    finally:
        os.close(file)
    page = os.sysconf("SC_PAGE_SIZE")
    return int(pages[0]) * page, int(pages[1]) * page


@cache
def machine_memory() -> int:
    """Bytes of memory of this machine."""
    return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
