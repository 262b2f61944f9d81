"""Arrays that are views of others in NumPy: parts, which may be whole, as ``x[...]`` is."""

from __future__ import annotations

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dynamic_shape import Deferred
from dask_tapestry.teg import Node


def part(node: Node | Deferred) -> Array:
    """Wrap a part of another array; a write into it that nobody reads is told to be lost.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> x = dt.ones(3)
    >>> part(x.node).node is x.node
    True
    """
    made = Array(node)
    made._is_part = True
    return made
