"""How much memory a process may use, and how much of it may be kept for later."""

from __future__ import annotations

import os
import sys
from typing import Final

from dask.utils import parse_bytes

from dask_tapestry.settings import setting

MOST_KEPT: Final = 2**30  # bytes of freed arrays that a process keeps
KEPT_PART: Final = 10  # it keeps at most a tenth of its memory


def kept_bytes(memory: int) -> int:
    """Bytes of freed arrays that a process with `memory` bytes may keep to use again."""
    chosen = setting("kept-memory")
    return min(MOST_KEPT, memory // KEPT_PART) if chosen is None else int(parse_bytes(chosen))


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


def machine_memory() -> int:
    """Bytes of memory of this machine."""
    return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
