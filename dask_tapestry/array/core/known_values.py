"""Arguments whose cells must be known while an expression is built: positions, quantiles."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dask_tapestry.array.core.array import Array
from dask_tapestry.errors import DTypeError
from dask_tapestry.io.numpy_source import NumpySource

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
    if not isinstance(values, Array):
        return values
    operator = None if values.deferred is not None else values.node.operator
    if isinstance(operator, NumpySource):
        return operator.data
    raise DTypeError(f"{name} must be known now: compute() them first")
