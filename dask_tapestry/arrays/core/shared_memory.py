"""Shared memory of arrays, for libraries that ask before they change theirs in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.teg import Graph

__all__: list[str] = []  # NumPy's functions reach it


@implements(np.may_share_memory, np.shares_memory)
def may_share_memory(a: Any, b: Any, /, max_work: int | None = None) -> bool:  # noqa: ARG001
    """Whether an array is computed from memory that the other is, or is computed from too.

    What is computed has memory of its own, whatever it is computed from. Bounds of the memory are
    compared: `max_work` has no effect.

    {Examples}
    >>> cells = np.arange(3)
    >>> x = dt.asarray(cells)
    >>> np.may_share_memory(x, cells), np.may_share_memory(x, np.asarray(x))
    (True, False)
    """
    return any(
        np.may_share_memory(one, other)
        for one in _arrays_in_memory(a)
        for other in _arrays_in_memory(b)
    )


def _arrays_in_memory(x: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays in this process's memory that a value is made of."""
    if not isinstance(x, Array):
        return [np.asarray(x)]
    sources = (node.operator for node in Graph([x.bound]).nodes)
    return [one.data for one in sources if isinstance(one, NumpySource)]
