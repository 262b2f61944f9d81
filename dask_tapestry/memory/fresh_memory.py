"""Memory fresh from the system (mmap): it comes and goes whole, page by page.

The C library's allocator takes large arrays from its heaps as soon as one as large was freed, and
what is freed there among smaller objects stays with the process: works that read a store of 100 MB
kept 60 to 110 MB of such gaps, most of their peak. Fresh pages take the same time either way.
"""

from __future__ import annotations

import mmap
from typing import Any, Final

import numpy as np

from dask_tapestry.memory.tuning import HUGE_FROM_BYTES

# 0 where the system has no such mappings
OWN_PAGES: Final[int] = getattr(mmap, "MAP_PRIVATE", 0) | getattr(mmap, "MAP_ANONYMOUS", 0)
HUGE_PAGES: Final[int | None] = getattr(mmap, "MADV_HUGEPAGE", None)


def fresh_memory(size: int) -> np.ndarray[Any, Any]:
    """So many bytes, whose pages return to the system when they and all views are gone.

    Raises
    ------
    MemoryError
        If there is not so much.

    Examples
    --------
    >>> fresh_memory(2**20).shape
    (1048576,)
    """
    if not OWN_PAGES:
        return np.empty(size, np.uint8)
    try:
        pages = mmap.mmap(-1, size, flags=OWN_PAGES)
    except OSError:  # no memory, or no more mappings: NumPy has others, or says it in its own words
        return np.empty(size, np.uint8)
    if HUGE_PAGES is not None and size >= HUGE_FROM_BYTES:
        _prefer_huge_pages(pages, HUGE_PAGES)
    return np.frombuffer(pages, np.uint8)


def _prefer_huge_pages(pages: mmap.mmap, advice: int) -> None:
    """Ask for pages of which each comes at once, as NumPy does for its arrays."""
    try:
        pages.madvise(advice)
    except OSError:  # a system without them
        return
