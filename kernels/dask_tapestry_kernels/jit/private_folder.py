"""Private folders: the user's alone, so that nobody else can have put there what lies in them."""

from __future__ import annotations

import grp
import os
import pwd
import stat
from pathlib import Path
from typing import Final

OPEN: Final = stat.S_IWGRP | stat.S_IWOTH


def fault(folder: Path) -> str:
    """Why others could change what lies in a folder, given without links; nothing if they cannot.

    It must belong to this user, and be closed to others. The folders that it is in must belong to
    the user or the system; who may write to one of them can put another folder in its place,
    unless it keeps entries to their owners, as ``/tmp`` does.

    Raises
    ------
    OSError
        If one cannot be looked at.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as made:
    ...     fault(Path(made).resolve())
    ''
    """
    me = os.geteuid()
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode):
        return "it is no folder"
    if status.st_uid != me:
        return f"it belongs to user {status.st_uid}, not {me}"
    if status.st_mode & OPEN:
        return f"others may write to it (mode {stat.S_IMODE(status.st_mode):o})"
    for outer in folder.parents:
        status = os.lstat(outer)
        if status.st_uid not in (me, 0):
            return f"{outer}, which it is in, belongs to user {status.st_uid}"
        if status.st_mode & OPEN and not status.st_mode & stat.S_ISVTX and not _is_own(status):
            mode = stat.S_IMODE(status.st_mode)
            return f"others may replace what is in {outer}, which it is in (mode {mode:o})"
    return ""


def _is_own(found: os.stat_result) -> bool:
    """Whether only this user's own group may write, as where each user has one."""
    if found.st_mode & stat.S_IWOTH or found.st_uid != os.geteuid():
        return False
    try:
        group, user = grp.getgrgid(found.st_gid), pwd.getpwuid(found.st_uid)
    except KeyError:
        return False
    return group.gr_name == user.pw_name and not set(group.gr_mem) - {user.pw_name}
