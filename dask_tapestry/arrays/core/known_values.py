"""Known values: arguments whose cells are needed while a graph is built, as quantiles."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.errors import DTypeError
from dask_tapestry.io.sources.numpy_source import NumpySource
from dask_tapestry.operators.layouts.nominal_chunks import without_nominal_chunks

T = TypeVar("T")


def known_now(values: T | Array, name: str) -> T | NDArray[np.generic]:
    """Return `values`; of an array of ours that lies in this process's memory, its cells.

    Parameters
    ----------
    values
        The argument as the user gave it.
    name
        What the error calls it.

    Raises
    ------
    DTypeError
        For an array that would have to be computed.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> known_now(dt.asarray([3, 4]), "positions")
    array([3, 4])
    """
    cells = where_known(values)
    if isinstance(cells, Array):
        raise DTypeError(f"{name} must be known now: compute() them first")
    return cells


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
