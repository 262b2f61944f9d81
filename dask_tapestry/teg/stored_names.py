"""Stored names: under which name a class is written where later versions read it.

Digests of graphs are made of class names. They stand in plan files and in journals of writes, which
must not go stale because a class, or its module, is called otherwise now.
"""

from __future__ import annotations

from typing import Final

STORED: Final[dict[str, str]] = {}  # by today's name, those that were renamed


def stored_name(kind: type) -> str:
    """Module and name of a class, as they were when it was first written.

    Examples
    --------
    >>> stored_name(dict)
    'builtins.dict'
    """
    name = f"{kind.__module__}.{kind.__qualname__}"
    return STORED.get(name, name)
