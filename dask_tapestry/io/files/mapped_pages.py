"""Mapped pages: those of files that were touched are let go of once they are more than a few.

A page of a file that was touched counts as memory of its process until the mapping goes or the page
is let go of, and Dask restarts workers that seem to hold more than they may. The system keeps what
was in it, and a page that is touched again is there again.
"""

from __future__ import annotations

import mmap
from contextlib import suppress
from threading import Lock
from typing import Final
from weakref import WeakSet

from dask_tapestry.io.tuning import MAPPED_PAGES_BYTES

_DONTNEED: Final = getattr(mmap, "MADV_DONTNEED", None)  # not where pages are others' business


class MappedPages:
    """The mapped files of a process, and how much of them may have been touched."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.mappings = WeakSet[mmap.mmap]()
        self.touched = 0

    def add(self, mapping: object) -> None:
        """Let pages of a mapping go with those of others; not those that are this process's own."""
        if isinstance(mapping, mmap.mmap):
            with self.lock:
                self.mappings.add(mapping)

    def touch(self, number: int) -> None:
        """Before so many bytes are touched, let go of what was, if both are too much."""
        with self.lock:
            fits = self.touched + number <= MAPPED_PAGES_BYTES
            self.touched = self.touched + number if fits else number
            full = () if fits else tuple(self.mappings)
        for mapping in full:
            if _DONTNEED is not None:
                with suppress(ValueError):  # it was closed
                    mapping.madvise(_DONTNEED)


MAPPED_PAGES: Final = MappedPages()
