"""The user's line that wrote a value, and the function that made it, as text."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import FrameType
from typing import Final

import dask

from dask_tapestry.compute_errors import is_users

PACKAGE: Final = str(Path(__file__).resolve().parent.parent)
NOT_THE_USERS: Final = (PACKAGE, str(Path(dask.__file__).parent))
EXAMPLE: Final = "<doctest "  # begins the name of an example in a docstring
PUBLIC: Final = str(Path(PACKAGE) / "arrays")  # functions that users call are there
WRAPPERS: Final = frozenset(
    "applied arrived asked call_numpy_function call_ufunc checking chosen converted counted "
    "decorated filled function map_variables masked_results method moved naming reduced scanned "
    "taking together wrapped".split()
)  # functions there that call another, whose name is the user's word


class UsersLine(str):
    """``file:line``, which is all that it compares and prints as, and the word of what was called.

    Attributes
    ----------
    word
        Name of the function that the user called there; "" where an operator or a ufunc was
        applied, which a formula tells itself.

    Examples
    --------
    >>> line = UsersLine("job.py:6", "mean")
    >>> line, line.word, line == "job.py:6"
    ('job.py:6', 'mean', True)
    """

    __slots__ = ("word",)

    word: str

    def __new__(cls, text: str, word: str = "") -> UsersLine:
        self = super().__new__(cls, text)
        self.word = word
        return self

    def __reduce__(self) -> tuple[type[UsersLine], tuple[str, str]]:
        return UsersLine, (str(self), self.word)


def said_together(lines: Iterable[str | None]) -> str | None:
    """The first of some lines, with the words of all: of what is computed at once.

    Examples
    --------
    >>> said_together([None, UsersLine("job.py:6", "mean"), UsersLine("job.py:7", "std")]).word
    'mean, std'
    """
    known = [line for line in lines if line]
    words = dict.fromkeys(word for line in known for word in words_at(line))
    return UsersLine(str(known[0]), ", ".join(words)) if known else None


def words_at(line: str | None) -> list[str]:
    """The words of a line; none of what is no `UsersLine`, or has none."""
    word = line.word if isinstance(line, UsersLine) else ""
    return word.split(", ") if word else []


def users_line(depth: int = 1) -> UsersLine | None:
    """The innermost line outside the library and those that call it; None if all are inside.

    Dask, xarray and others call it for the user, whose line is the one that called these. `depth`
    frames above this one are not looked at.
    """
    word = ""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        own = _own_word(code.co_name, code.co_filename)
        if own is not None:
            word = own or word  # the outermost that has one
        elif not _is_inside(frame):
            return _line_at(code.co_filename, frame.f_lineno, word)
        frame = frame.f_back
    return None


@lru_cache(maxsize=4096)  # a loop comes by the same lines; one object's hash is computed once
def _line_at(path: str, number: int, word: str) -> UsersLine:
    return UsersLine(f"{path}:{number}", word)


def users_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame outside the library and those that call it; None if all are inside."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and _is_inside(frame):
        frame = frame.f_back
    return frame


def users_level() -> int:
    """`stacklevel` for a warning that names the user's line."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _is_inside(frame):
        level, frame = level + 1, frame.f_back
    return level


def _is_inside(frame: FrameType) -> bool:
    """Whether a frame is of no user; paths are compared first, as most are of this library.

    An example of a docstring is a user's, in the module that it describes.
    """
    path = frame.f_code.co_filename
    return _is_ours(path) or (not is_users(frame) and not path.startswith(EXAMPLE))


@lru_cache(maxsize=1024)  # a node is made some ten calls below the user's line
def _is_ours(path: str) -> bool:
    return path.startswith(NOT_THE_USERS)


@lru_cache(maxsize=4096)
def _own_word(name: str, path: str) -> str | None:
    """The name of a function of the library if it is one for users, else ""; None of others."""
    if not _is_ours(path):
        return None
    is_public = name[0] not in "_<" and name not in WRAPPERS and path.startswith(PUBLIC)
    return name if is_public else ""
