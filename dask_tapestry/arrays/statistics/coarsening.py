"""Neighbouring cells reduced to one: `coarsen`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from dask_tapestry.amounts import function, integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.errors import ArgumentTypeError, ShapeError
from dask_tapestry.operators.axes import normalize_axis

__all__ = ["coarsen"]


@checked
def coarsen(
    reduction: Callable[..., Any],
    x: ArrayLike,
    axes: Mapping[int, int],
    trim_excess: bool = False,
    **kwargs: Any,
) -> Array:
    """Reduce neighbouring cells to one, as `dask.array.coarsen`.

    {Parameters}
        reduction: Takes an array and ``axis=``, such as `numpy.mean`; it is called once, with an
            `Array`.
        {x}
        axes: For each axis how many cells become one.
        trim_excess: Whether to leave out the last cells that are too few.
        **kwargs: Further arguments of `reduction`.
    {Returns} Array: As much shorter along `axes`.
    {Raises} ShapeError: If a number is not positive, or does not divide the length of its axis.
    {See Also} reshape, histogram

    Examples
    --------
    >>> import numpy as np, dask_tapestry as dt
    >>> dt.coarsen(np.sum, dt.arange(6), {0: 2}).compute()
    array([1, 5, 9])
    """
    array = asarray(x)
    factors = [1] * array.ndim
    if not isinstance(axes, Mapping):
        raise ArgumentTypeError(f"axes are a dictionary of factors by axis, not {axes!r}")
    for axis, factor in axes.items():
        factors[normalize_axis(axis, array.ndim)] = integer(factor)
    if any(factor < 1 for factor in factors):
        raise ShapeError(f"axes: numbers of cells must be positive, not {axes}")
    if trim_excess:
        whole = [n - n % k for n, k in zip(array.shape, factors, strict=True)]
        array = array[tuple(slice(n) for n in whole)]
    elif any(n % k for n, k in zip(array.shape, factors, strict=True)):
        raise ShapeError(f"coarsening factors {dict(axes)} do not divide the shape {array.shape}")
    sides = [side for n, k in zip(array.shape, factors, strict=True) for side in (n // k, k)]
    inner = tuple(range(1, 2 * array.ndim, 2))
    found = function("reduction", reduction)(array.reshape(tuple(sides)), axis=inner, **kwargs)
    return asarray(found)
