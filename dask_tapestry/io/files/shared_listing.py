"""Listings of one folder that several threads ask for: each sees what was there after it asked.

File systems of fsspec's keep listings. If one thread has them forgotten while another's request is
under way, it may be given the answer to that, which is older than its question. So one request at a
time is made, and its answer is for those alone who had asked before it was made.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from threading import Condition
from typing import Any


class SharedListing:
    """A folder that is listed by one thread at a time, for all who wait.

    Parameters
    ----------
    of
        What the folder is in, kept so that no other has its `id`.
    """

    def __init__(self, of: Any = None) -> None:
        self.of = of
        self._turn = Condition()
        self._begun = self._ended = 0
        self._found: frozenset[str] = frozenset()

    def names(self, listed: Callable[[], frozenset[str]]) -> frozenset[str]:
        """Return what `listed` returns in this thread or in another that calls it later."""
        with self._turn:
            wanted = self._begun + 1  # the next that begins: one under way may be too early
            while self._ended < wanted:
                if self._begun == self._ended:
                    break
                self._turn.wait()
            else:
                return self._found
            self._begun += 1
        try:
            listing = listed()
        except BaseException:
            with self._turn:
                self._begun -= 1  # others try themselves
                self._turn.notify_all()
            raise
        with self._turn:
            self._found, self._ended = listing, self._begun
            self._turn.notify_all()
        return listing


@lru_cache(maxsize=256)
def _listing_of(identity: int, path: str) -> list[SharedListing]:
    del identity, path
    return []


def listing_of(files: Any, path: str) -> SharedListing:
    """Return the one listing of a path in a file system."""
    known = _listing_of(id(files), path)
    if not known:
        known.append(SharedListing(files))
    return known[0]
