"""Windows that fade out: `bartlett`, `blackman`, `hamming`, `hanning`, `kaiser`."""

from __future__ import annotations

import numpy as np

from dask_tapestry.amounts import real
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.creation.filled import ones
from dask_tapestry.arrays.creation.ranges import arange
from dask_tapestry.arrays.elementwise.functions_of_cells import i0
from dask_tapestry.arrays.elementwise.ufunc_functions import FUNCTIONS
from dask_tapestry.arrays.elementwise.where_and_clip import where

__all__ = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]


def _angles(M: float) -> Array | None:
    """``pi`` times places from -1 to 1; None where there is one."""
    count = real("M", M)
    if count == 1:
        return None
    return arange(1 - count, count, 2.0) * np.pi / (count - 1 if count > 1 else 1.0)


def _cosines(M: float, *weights: float) -> Array:
    """A constant and cosines of once, twice, ... the angle, times weights."""
    angles = _angles(M)
    if angles is None:
        return ones(1)
    value: Array = weights[0] + weights[1] * FUNCTIONS["cos"](angles)
    for times, weight in enumerate(weights[2:], 2):
        value = value + FUNCTIONS["cos"](times * angles) * weight
    return value


def bartlett(M: float) -> Array:
    """Return a triangle with zeros at both ends, as `numpy.bartlett`.

    {Parameters} M: Number of cells; less than 1 gives none.
    {Returns} Array: Shape (M,), float64.
    {See Also} blackman, hamming, hanning, kaiser
    {Examples}
    >>> dt.bartlett(5).compute()
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    count = real("M", M)
    if count == 1:
        return ones(1)
    n = arange(1 - count, count, 2.0)
    share = n / (count - 1 if count > 1 else 1.0)
    return where(n <= 0, 1 + share, 1 - share)


def blackman(M: float) -> Array:
    """Return Blackman's window of three cosines, as `numpy.blackman`.

    {Parameters} M: Number of cells; less than 1 gives none.
    {Returns} Array: Shape (M,), float64.
    {See Also} bartlett, hamming, hanning, kaiser
    {Examples}
    >>> dt.blackman(5).compute().round(2) + 0.0
    array([0.  , 0.34, 1.  , 0.34, 0.  ])
    """
    return _cosines(M, 0.42, 0.5, 0.08)


def hamming(M: float) -> Array:
    """Return Hamming's window, a raised cosine, as `numpy.hamming`.

    {Parameters} M: Number of cells; less than 1 gives none.
    {Returns} Array: Shape (M,), float64.
    {See Also} bartlett, blackman, hanning, kaiser
    {Examples}
    >>> dt.hamming(5).compute().round(2)
    array([0.08, 0.54, 1.  , 0.54, 0.08])
    """
    return _cosines(M, 0.54, 0.46)


def hanning(M: float) -> Array:
    """Return Hann's window, a cosine that ends at zero, as `numpy.hanning`.

    {Parameters} M: Number of cells; less than 1 gives none.
    {Returns} Array: Shape (M,), float64.
    {See Also} bartlett, blackman, hamming, kaiser
    {Examples}
    >>> dt.hanning(5).compute().round(2)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return _cosines(M, 0.5, 0.5)


def kaiser(M: float, beta: float) -> Array:
    """Return Kaiser's window of a Bessel function, as `numpy.kaiser`.

    {Parameters}
        M: Number of cells; less than 1 gives none.
        beta: How fast it fades; 0 gives ones.
    {Returns} Array: Shape (M,), float64.
    {See Also} bartlett, blackman, hamming, hanning
    {Examples}
    >>> dt.kaiser(5, 2.0).compute().round(2)
    array([0.44, 0.83, 1.  , 0.83, 0.44])
    """
    count, width = real("M", M), real("beta", beta)
    if count == 1:
        return ones(1)
    middle = (count - 1) / 2.0
    share = (arange(0, count, 1.0) - middle) / (middle or 1.0)
    return i0(width * FUNCTIONS["sqrt"](1 - share**2.0)) / i0(width)
