"""Arrays joined along a new axis: `stack`, `hstack`, `vstack`, `interleave` and the like."""

from __future__ import annotations

import numpy as np
from numpy.typing import DTypeLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.axis_names import names_axes
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.dtypes import Casting
from dask_tapestry.arrays.core.out_argument import assigned_to_out
from dask_tapestry.arrays.manipulation.joining import (
    Arrays,
    concatenate,
    converted,
    sequence_of,
)
from dask_tapestry.arrays.shape.atleast import atleast_1d, atleast_2d, atleast_3d, with_rank
from dask_tapestry.operators.joins.stack import interleave as interleave_tensors
from dask_tapestry.operators.joins.stack import stack as stack_tensors

__all__ = ["column_stack", "dstack", "hstack", "interleave", "stack", "vstack"]


@implements(np.stack)
def stack(
    arrays: Arrays,
    axis: int = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: Casting = "same_kind",
) -> Array:
    """Join arrays of one shape along a new axis, as `numpy.stack`.

    {Parameters}
        arrays: The arrays.
        axis: Place of the new axis in the result.
        {out.value, dtype.casting}
    {Returns} Array: The arrays' shape with their number inserted at `axis`.
    {Raises} ShapeError: If there is no array, or their shapes differ.
    {See Also}
        concatenate : along an axis that they have.
        unstack : the inverse.
    {Examples}
    >>> dt.stack([dt.arange(2), dt.arange(2, 4)], axis=1).compute()
    array([[0, 2],
           [1, 3]])
    """
    nodes = [asarray(x).node for x in sequence_of(arrays, "stack")]
    return assigned_to_out(out, Array(stack_tensors(converted(nodes, dtype, casting, out), axis)))


@implements(np.hstack)
def hstack(tup: Arrays, *, dtype: DTypeLike | None = None, casting: Casting = "same_kind") -> Array:
    """Join arrays along their second axis, or the only one they have, as `numpy.hstack`.

    {Parameters}
        tup: The arrays; a scalar counts as a vector of one cell.
        {dtype.casting}
    {Returns} Array: The arrays side by side.
    {Raises} ShapeError: If there is no array, or they differ in another axis.
    {See Also} concatenate, stack
    {Examples}
    >>> dt.hstack([dt.arange(2), dt.arange(2, 4)]).compute()
    array([0, 1, 2, 3])
    """
    arrays = [atleast_1d(x) for x in sequence_of(tup, "hstack")]
    axis = 0 if arrays and arrays[0].ndim == 1 else 1
    return concatenate(arrays, axis, dtype=dtype, casting=casting)


@implements(np.vstack)
def vstack(tup: Arrays, *, dtype: DTypeLike | None = None, casting: Casting = "same_kind") -> Array:
    """Join arrays along their first axis, vectors as rows, as `numpy.vstack`.

    {Parameters}
        tup: The arrays; a vector counts as a row.
        {dtype.casting}
    {Returns} Array: The arrays one below the other, of two dimensions at least.
    {Raises} ShapeError: If there is no array, or they differ in another axis.
    {See Also} concatenate, stack
    {Examples}
    >>> dt.vstack([dt.arange(2), dt.arange(2, 4)]).compute()
    array([[0, 1],
           [2, 3]])
    """
    arrays = [atleast_2d(x) for x in sequence_of(tup, "vstack")]
    return concatenate(arrays, 0, dtype=dtype, casting=casting)


@implements(np.dstack)
def dstack(tup: Arrays) -> Array:
    """Join arrays along their third axis, which they get if they lack it, as `numpy.dstack`.

    {Parameters} tup: The arrays; those with fewer dimensions are taken as by `atleast_3d`.
    {Returns} Array: The arrays one behind the other, of three dimensions at least.
    {Raises} ShapeError: If there is no array, or they differ in another axis.
    {See Also} concatenate, stack
    {Examples}
    >>> dt.dstack([dt.arange(2), dt.arange(2, 4)]).shape
    (1, 2, 2)
    """
    return concatenate([atleast_3d(x) for x in sequence_of(tup, "dstack")], 2)


@implements(np.column_stack)
def column_stack(tup: Arrays) -> Array:
    """Join vectors as the columns of a matrix, and matrices side by side, as `numpy.column_stack`.

    {Parameters} tup: The arrays, of one or two dimensions; a vector counts as a column.
    {Returns} Array: The arrays side by side, of two dimensions at least.
    {Raises} ShapeError: If there is no array, or they differ in another axis.
    {See Also} concatenate, stack
    {Examples}
    >>> dt.column_stack([dt.arange(2), dt.arange(2, 4)]).compute()
    array([[0, 2],
           [1, 3]])
    """
    arrays = [asarray(x) for x in sequence_of(tup, "column_stack")]
    return concatenate([x if x.ndim >= 2 else with_rank(x, 2).T for x in arrays], 1)


@names_axes
def interleave(arrays: Arrays, axis: int = 0) -> Array:
    """Join arrays of one shape by taking their slices along an axis in turn.

    {Parameters}
        arrays: The arrays.
        axis: Along which to take turns.
    {Returns} Array: As long along `axis` as all arrays together: cell i of array j at ``i *
        len(arrays) + j``.
    {Raises} ShapeError: If there is no array, or their shapes differ.
    {See Also} concatenate

    Notes
    -----
    Source: Tapestry whitepaper, "Selector Nodes".

    {Examples}
    >>> dt.interleave([dt.arange(3), dt.arange(10, 13)]).compute()
    array([ 0, 10,  1, 11,  2, 12])
    """
    nodes = [asarray(x).node for x in sequence_of(arrays, "interleave")]
    return Array(interleave_tensors(nodes, axis))
