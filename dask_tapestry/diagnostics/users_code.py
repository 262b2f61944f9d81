"""The user's code at a line, for pages that show it beside the steps."""

from __future__ import annotations

import linecache

from dask_tapestry.diagnostics.tuning import CODE_LINE_LETTERS


def users_code(line: str) -> str:
    """The text of a ``file:line`` of this process; "" where it cannot be read.

    It is for lines that ran here, never for those that a file names: a file that somebody else has
    written might name any file.

    Examples
    --------
    >>> users_code(f"{linecache.__file__}:1")[:3], users_code("<stdin>:1")
    ('\"\"\"', '')
    """
    file, _, number = line.rpartition(":")
    try:
        text = linecache.getline(file, int(number)).strip()
    except (OSError, ValueError):
        return ""
    return text if len(text) <= CODE_LINE_LETTERS else f"{text[: CODE_LINE_LETTERS - 1]}…"
