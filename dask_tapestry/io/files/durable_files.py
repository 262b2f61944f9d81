"""Durable files (fsync): what was written may else be lost when the power is cut."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

WRITABLE = os.O_RDWR if os.name == "nt" else os.O_RDONLY  # what may be flushed


def sync(path: Path) -> None:
    """Wait until a file, or a folder with all within, and its name are on the disk.

    What has vanished meanwhile is left out.
    """
    if path.is_dir():
        for folder, _, names in os.walk(path, topdown=False):
            for name in names:
                _flush(Path(folder, name))
            _flush_names(Path(folder))
    else:
        _flush(path)
    _flush_names(path.parent)


def _flush(path: Path) -> None:
    with suppress(FileNotFoundError):
        number = os.open(path, WRITABLE)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def _flush_names(folder: Path) -> None:
    """Flush what a folder lists; Windows does so itself."""
    if os.name != "nt":
        _flush(folder)
