"""Polynomials of given coefficients: `polyval`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.errors import ArgumentTypeError
from dask_tapestry.operators.views.broadcast import broadcast

__all__ = ["polyval"]


@implements(np.polyval)
def polyval(p: ArrayLike, x: ArrayLike) -> Array:
    """Return the values of a polynomial, as `numpy.polyval`.

    {Parameters}
        p: Coefficients, that of the highest power first.
        x: Where the values are wanted.
    {Returns} Array: Of the shape of `x`.
    {Raises} ArgumentTypeError: If `p` has no dimension.
    {See Also} linalg.lstsq, vander
    {Examples}
    >>> dt.polyval([3, 0, 1], dt.arange(4)).compute()
    array([ 1,  4, 13, 28])
    """
    at = asarray(x)
    weights = p if isinstance(p, Array) else np.asarray(p)
    if not weights.ndim:
        raise ArgumentTypeError("iteration over a 0-d array")
    value = asarray(np.zeros((), at.dtype))
    for number in range(weights.shape[0]):
        value = value * at + weights[number]
    return value if weights.shape[0] else Array(broadcast(value.node, at.shape))
