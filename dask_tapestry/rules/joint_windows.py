"""Joint windows: values of unlike operators that are made of the same stored cells, in one pass.

It costs windows that are held, and blocks that are cut along no axis finer than tiles, where it
spares reading cells twice. So it is a form that plans are compared in, and no rule.
"""

from __future__ import annotations

from collections.abc import Sequence

from dask_tapestry.operators.views.joint_windows import (
    JointWindows,
    Window,
    WindowAxis,
    window_taken,
)
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.teg import Node, apply
from dask_tapestry.teg.node import written_as
from dask_tapestry.teg.users_line import said_together

__all__ = ["Window", "WindowAxis", "in_joint_windows", "is_read_jointly"]


def in_joint_windows(
    group: Sequence[Node], windows: Sequence[Window], tiles: tuple[int, ...]
) -> dict[Node, Node]:
    """``f(x), g(x) -> t.w0, t.w1 with t = windows(f(x), g(x))``: what replaces each of a group.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.placeholder((60, 5), "f8")
    >>> rows = WindowAxis(0, 20)
    >>> group = dt.sort(x, axis=1).node, (x * x).sum(axis=1).node
    >>> done = in_joint_windows(group, ((rows, WindowAxis(None, 5)), (rows,)), (3,))
    >>> [str(node.type) for node in done.values()]
    ['float64[60, 5]', 'float64[60]']
    """
    names = tuple([f"w{number}" for number in range(len(group))])
    with written_as(next((node for node in group if node.line), group[0])):
        line = said_together(node.line for node in group)
        together = apply(JointWindows(tiles, tuple(windows), names), *group, line=line)
    done: dict[Node, Node] = {}
    for number, node in enumerate(group):
        with written_as(node):
            taken = window_taken(together, number, node.type.shape)
            done[node] = taken if taken.type == node.type else rename(taken, node.type.dims or ())
    return done


def is_read_jointly(node: Node) -> bool:
    """Whether a node makes windows of several values."""
    return isinstance(node.operator, JointWindows)
