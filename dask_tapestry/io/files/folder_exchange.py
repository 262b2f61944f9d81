"""Two folders exchanged at once, where the system can: Linux, on most of its file systems."""

from __future__ import annotations

import ctypes
import errno
import os
from functools import cache
from pathlib import Path
from typing import Any, Final

AT_CWD: Final = -100
EXCHANGE: Final = 2  # RENAME_EXCHANGE of renameat2
UNKNOWN: Final = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EPERM})


def exchange(one: Path, other: Path) -> bool:
    """Have two paths change places at one moment; False if that cannot be done here.

    Raises
    ------
    OSError
        If one of them is not there, or may not be moved.
    """
    rename = _renameat2()
    if rename is None:
        return False
    if not rename(AT_CWD, os.fsencode(one), AT_CWD, os.fsencode(other), EXCHANGE):
        return True
    number = ctypes.get_errno()
    if number in UNKNOWN:
        return False
    raise OSError(number, os.strerror(number), str(one), None, str(other))


@cache
def _renameat2() -> Any:
    """The function of the C library; None where there is none."""
    try:
        return ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError, TypeError):
        return None
