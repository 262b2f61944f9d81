"""Kinds of threads: what threads must have in common to be traced together."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from dask_tapestry.errors import TraceError
from dask_tapestry.operators.generators.full import Full
from dask_tapestry.operators.threads.batched_operators import computed_batch
from dask_tapestry.operators.threads.threads import Threads
from dask_tapestry.operators.tuning import MOST_THREAD_VALUES
from dask_tapestry.teg import Node, Tensor
from dask_tapestry.teg.node import topological


class ThreadsDifferError(Exception):
    """A value that must be one for all threads that are traced together is not.

    It is none of the errors that users meet: the trace begins again, for fewer threads.

    Attributes
    ----------
    number
        The id along which threads are to be told apart.
    cuts
        The numbers, of those of this trace, where the value changes.
    """

    def __init__(self, number: Node, cuts: tuple[int, ...]) -> None:
        super().__init__("a size or a condition differs between threads that are traced together")
        self.number, self.cuts = number, cuts


def same_for_all(value: Tensor, threads: Threads) -> Any:
    """The one value that all threads have; None where their numbers alone do not tell it.

    Raises
    ------
    ThreadsDifferError
        If threads have different values.
    """
    values = _of_each(value, threads)
    if values is None or not values.size:
        return None if values is None else values.dtype.type(0)
    first = values.flat[0]
    if (values == first).all():
        return first
    values_by_dim = {}
    for dim in range(values.ndim):
        others = tuple(d for d in range(values.ndim) if d != dim)
        line = np.moveaxis(values, dim, 0)
        changes = (line[1:] != line[:-1]).any(axis=tuple(range(1, 1 + len(others))))
        if changes.any():
            values_by_dim[dim] = tuple(int(n) + 1 for n in np.flatnonzero(changes))
    dim = min(values_by_dim, key=lambda d: len(values_by_dim[d]))
    raise ThreadsDifferError(threads.ids[dim], values_by_dim[dim])


def _of_each(value: Tensor, threads: Threads) -> np.ndarray[Any, Any] | None:
    """The value of each thread, of length 1 along ids that do not matter; None if not known."""
    order, rank = topological([value]), len(threads.ids)
    leaves = [node for node in order if not node.inputs and node not in threads.ids]
    if value.type.ndim or not all(isinstance(node.operator, Full) for node in leaves):
        return None
    extents = [
        n if node in order else min(n, 1)
        for node, n in zip(threads.ids, threads.extents, strict=True)
    ]
    if prod(extents) > MOST_THREAD_VALUES:
        raise TraceError(
            f"{threads.name}: there are too many threads to compute a size or a condition for each"
        )
    values: dict[Node, Any] = {}
    for dim, (node, n) in enumerate(zip(threads.ids, extents, strict=True)):
        line = np.arange(n, dtype=node.type.dtype)
        values[node] = line.reshape([-1 if d == dim else 1 for d in range(rank)])
    for node in order:
        if node not in values:
            inputs = [values[x] for x in node.inputs]
            values[node] = (
                computed_batch(node, inputs, rank)
                if inputs
                else np.full((1,) * rank, node.operator.scalar)  # type: ignore[attr-defined]
            )
    return np.broadcast_to(values[value], extents)
