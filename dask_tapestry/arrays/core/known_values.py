"""Known values: arguments whose cells are needed while a graph is built, as quantiles.

What a few numbers are made of that lie in this process, or of nothing, is computed: `linspace` of
percentiles, say. What reads a store, or blocks of workers, is not: that would be a job of its own.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.repeatable import are_repeatable
from dask_tapestry.arrays.tuning import KNOWN_CELLS
from dask_tapestry.errors import DTypeError
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.operators.layouts.nominal_chunks import without_nominal_chunks
from dask_tapestry.teg import Graph, Source

T = TypeVar("T")


def known_now(values: T | Array, name: str) -> T | NDArray[np.generic]:
    """Return `values`; of an array of ours its cells, if they are at hand or made of such.

    Parameters
    ----------
    values
        The argument as the user gave it.
    name
        What the error calls it.

    Raises
    ------
    DTypeError
        For an array of what is stored, or held by others.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> known_now(dt.asarray([3, 4]), "positions"), known_now(dt.arange(2) + 3, "positions")
    (array([3, 4]), array([3, 4]))
    """
    cells = where_known(values)
    if not isinstance(cells, Array):
        return cells
    if not is_made_here(cells):
        raise DTypeError(f"{name} must be known now: compute() them first")
    return np.asarray(cells.compute(scheduler="synchronous"))


def is_made_here(x: Array) -> bool:
    """Whether an array is made of few cells of this process's memory, and of no user's function.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> is_made_here(dt.linspace(0, 1, 5) * 100), is_made_here(dt.placeholder((5,), "f8") * 100)
    (True, False)
    """
    if x.deferred is not None or not are_repeatable([x.node]):
        return False
    nodes = Graph([x.node]).nodes
    here = (
        not isinstance(n.operator, Source) or isinstance(n.operator, NumpySource) for n in nodes
    )
    return all(here) and all(n.type.size <= KNOWN_CELLS for n in nodes)


def where_known(values: T | Array) -> T | Array | NDArray[np.generic]:
    """Return `values`; of an array of ours its cells, where they lie in this process's memory.

    Parameters
    ----------
    values
        The argument as the user gave it.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> where_known(dt.asarray([3, 4]))
    array([3, 4])
    >>> where_known(dt.arange(2) + 1).shape
    (2,)
    """
    if not isinstance(values, Array) or values.deferred is not None:
        return values
    operator = without_nominal_chunks(values.node).operator
    return operator.data if isinstance(operator, NumpySource) else values
