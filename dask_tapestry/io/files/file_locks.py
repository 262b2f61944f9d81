"""Locks of files, which end with the process that has them, however it ends.

Where a system or file system knows no such locks nothing is locked, and nobody waits.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType

from dask_tapestry.io.tuning import LOCK_PATIENCE_SECONDS, LOCK_PAUSE_SECONDS

try:
    import fcntl as _fcntl
except ImportError:  # Windows
    fcntl: ModuleType | None = None
else:
    fcntl = _fcntl


@contextmanager
def shared_lock(path: Path) -> Iterator[None]:
    """Have a file locked inside a ``with`` block, as others may at the same time."""
    number = _opened(path)
    try:
        if fcntl is not None and number is not None:
            with suppress(OSError):
                fcntl.flock(number, fcntl.LOCK_SH)
        yield
    finally:
        if number is not None:
            os.close(number)


def wait_until_free(path: Path) -> None:
    """Wait until nobody has a file locked who had it when this was called."""
    number, until = _opened(path), time.monotonic() + LOCK_PATIENCE_SECONDS
    if number is None:
        return
    try:
        while fcntl is not None and time.monotonic() < until:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                time.sleep(LOCK_PAUSE_SECONDS)
            except OSError:
                return
    finally:
        os.close(number)


def _opened(path: Path) -> int | None:
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:  # there is no such file: there is nothing to wait for
        return None
