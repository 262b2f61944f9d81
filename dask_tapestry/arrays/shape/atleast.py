"""`atleast_1d`, `atleast_2d` and `atleast_3d`: new dimensions have length one."""

from __future__ import annotations

from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.tuning import MOST_DIMENSIONS
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.views.unsqueeze import unsqueeze

__all__ = ["atleast_1d", "atleast_2d", "atleast_3d"]


@overload
def atleast_1d(ary: ArrayLike, /) -> Array: ...
@overload
def atleast_1d(*arys: ArrayLike) -> Array | tuple[Array, ...]: ...
@implements(np.atleast_1d)
def atleast_1d(*arys: ArrayLike) -> Array | tuple[Array, ...]:
    """Return arrays with one dimension at least, as `numpy.atleast_1d`.

    {Parameters} *arys: Arrays; those with fewer dimensions get new first ones.
    {Returns} Array or tuple of Array: One array, or a tuple of several.
    {See Also} atleast_2d, atleast_3d
    {Examples}
    >>> dt.atleast_1d(5).shape
    (1,)
    """
    return _one_or_all([with_rank(asarray(x), 1) for x in arys])


@overload
def atleast_2d(ary: ArrayLike, /) -> Array: ...
@overload
def atleast_2d(*arys: ArrayLike) -> Array | tuple[Array, ...]: ...
@implements(np.atleast_2d)
def atleast_2d(*arys: ArrayLike) -> Array | tuple[Array, ...]:
    """Return arrays with two dimensions at least, as `numpy.atleast_2d`; a vector becomes a row.

    {Parameters} *arys: Arrays; those with fewer dimensions get new first ones.
    {Returns} Array or tuple of Array: One array, or a tuple of several.
    {See Also} atleast_1d, atleast_3d
    {Examples}
    >>> dt.atleast_2d(dt.arange(3)).shape
    (1, 3)
    """
    return _one_or_all([with_rank(asarray(x), 2) for x in arys])


@overload
def atleast_3d(ary: ArrayLike, /) -> Array: ...
@overload
def atleast_3d(*arys: ArrayLike) -> Array | tuple[Array, ...]: ...
@implements(np.atleast_3d)
def atleast_3d(*arys: ArrayLike) -> Array | tuple[Array, ...]:
    """Return arrays with three dimensions at least, as `numpy.atleast_3d`.

    {Parameters} *arys: Arrays; a matrix gets a new last dimension, a vector a first and a last one.
    {Returns} Array or tuple of Array: One array, or a tuple of several.
    {See Also} atleast_1d, atleast_2d
    {Examples}
    >>> dt.atleast_3d(dt.arange(3)).shape
    (1, 3, 1)
    """
    return _one_or_all([_with_three(asarray(x)) for x in arys])


def checked_rank(ndmin: int) -> int:
    """A number of dimensions that arrays may have."""
    rank = integer(ndmin)
    if rank > MOST_DIMENSIONS:
        raise ArgumentError(f"ndmin bigger than allowable number of dimensions ({MOST_DIMENSIONS})")
    return rank


def with_rank(x: Array, rank: int) -> Array:
    """`x` with new first dimensions of length one, so that it has at least `rank` dimensions."""
    return Array(unsqueeze(x.node, tuple(range(checked_rank(rank) - x.ndim))))


def _with_three(x: Array) -> Array:
    new = {0: (0, 1, 2), 1: (0, 2), 2: (2,)}.get(x.ndim, ())
    return Array(unsqueeze(x.node, new))


def _one_or_all(arrays: list[Array]) -> Array | tuple[Array, ...]:
    return arrays[0] if len(arrays) == 1 else tuple(arrays)
