"""Processes by names that no later one has: whether the process that began something still runs."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from socket import gethostname


def this_process() -> str:
    """Return the name of this process: machine, number, and when it started."""
    return _name(os.getpid())


@lru_cache(maxsize=8)
def _name(number: int) -> str:
    return f"{gethostname()} {number} {_started(number)}"


def has_ended(name: str) -> bool:
    """Whether a process of this machine has ended; False for those of others.

    Examples
    --------
    >>> has_ended(this_process()), has_ended("another machine 1 0")
    (False, False)
    """
    host, _, rest = name.rpartition(" ")[0].rpartition(" ")
    if host != gethostname() or not rest.isdigit():
        return False
    started = _started(int(rest))
    return started is None or f"{host} {rest} {started}" != name


def _started(number: int) -> str | None:
    """Return when a process started, in the kernel's ticks; None if there is no such process."""
    try:
        fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        if Path("/proc/self").exists():
            return None
        return "unknown" if _answers(number) else None
    return fields[19]


def _answers(number: int) -> bool:
    """Whether a process is there, where the system has no files that tell."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
