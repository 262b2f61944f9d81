"""Writes into parts of arrays that nobody reads, as ``x[0][1] = 5``: NumPy's go through to `x`.

Here ``x[0]`` is a value of its own, which takes the write and is gone with it. When the part goes
unread, a warning says so, at the line that wrote.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any, Final

from dask_tapestry.operators.cells.complex_parts import is_complex_part
from dask_tapestry.teg import Node
from dask_tapestry.teg.users_line import users_frame

LOST: Final = (
    "a part of an array was changed in place and went unread, so the change is lost: parts are "
    "values of their own here, not views. Index once, as in x[i, j] = value, or assign the part "
    "back, x[i] = part"
)


def is_part(node: Node | None) -> bool:
    """Whether NumPy's array of this value may be a view of another one: the same cells, or some.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.ones((2, 3))
    >>> is_part(x[0].node), is_part(x.T.node), is_part((x + 1).node)
    (True, True, False)
    >>> is_part((x * 1j).imag.node)
    True
    """
    if node is None or is_complex_part(node):
        return node is not None
    if not node.operator.is_selector or len(node.inputs) != 1:
        return False
    return node.operator.is_view or node.type.size == node.inputs[0].type.size  # as of reshape


class UnreadWrite:
    """The node that a part of an array got by a write, until somebody asks for it.

    When it goes before, so did the part. It is held by that alone.
    """

    __slots__ = ("_code", "_line", "_node", "_read", "_registry")

    def __init__(self, node: Node) -> None:
        frame = users_frame(2)
        self._node, self._read = node, frame is None
        self._code = "" if frame is None else frame.f_code.co_filename
        self._line = 0 if frame is None else frame.f_lineno
        self._registry: Any = (
            None if frame is None else frame.f_globals.setdefault("__warningregistry__", {})
        )

    def read(self) -> Node:
        """The node; it is not lost from now on."""
        self._read = True
        return self._node

    def __del__(self) -> None:
        if not self._read and not sys.is_finalizing():
            warnings.warn_explicit(
                LOST, UserWarning, self._code, self._line, registry=self._registry
            )
