"""The functions of `dt.linalg` that the main namespace has too, as the Array API defines them.

They are stricter about shapes, and matrices are always the last two dimensions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import integer
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.linalg import cross_trace, products, vector_products
from dask_tapestry.arrays.shape import transposing
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.joins.diagonal import diagonal as diagonal_tensor

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "matrix_transpose",
    "outer",
    "tensordot",
    "trace",
    "vecdot",
]


@implements(np.linalg.matmul)
def matmul(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Multiply matrices, ``x1 @ x2``: `dask_tapestry.matmul`.

    {Parameters}
        x1: Matrices, of shape (..., m, k), or a vector, of shape (k,).
        x2: Matrices, of shape (..., k, n), or a vector, of shape (k,).
    {Returns} Array: Shape (..., m, n), without the dimension that a vector lacks; the common dtype.
    {Raises} ShapeError: If the contracted dimensions differ or an argument has none.
    {Examples}
    >>> dt.linalg.matmul(dt.ones((2, 3)), dt.ones((3, 4))).shape
    (2, 4)
    """
    return products.matmul(x1, x2)


@implements(np.linalg.tensordot)
def tensordot(x1: ArrayLike, x2: ArrayLike, /, *, axes: products.AxesPair = 2) -> Array:
    """Sum products over pairs of dimensions: `dask_tapestry.tensordot`.

    {Parameters}
        x1, x2: The arrays.
        axes: How many last dimensions of `x1` are summed over with as many first ones of `x2`; or
            the dimensions of `x1` and those of `x2`.
    {Returns} Array: The other dimensions of `x1`, then those of `x2`; the common dtype.
    {Raises} ShapeError: If those dimensions differ.
    {Examples}
    >>> dt.linalg.tensordot(dt.ones((2, 3)), dt.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    return products.tensordot(x1, x2, axes)


@implements(np.linalg.vecdot)
def vecdot(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Array:
    """Sum products along an axis, the cells of `x1` conjugated: `dask_tapestry.vecdot`.

    {Parameters}
        x1, x2: Vectors along `axis`, of one length; the other dimensions broadcast.
        axis: Axis of both arrays.
    {Returns} Array: The other dimensions; the common dtype.
    {Raises} ShapeError: If an argument has no dimension or the shapes do not fit.
    {Examples}
    >>> float(dt.linalg.vecdot(dt.ones(3), dt.ones(3)))
    3.0
    """
    return vector_products.vecdot(x1, x2, axis=axis)


@implements(np.linalg.outer)
def outer(x1: ArrayLike, x2: ArrayLike, /) -> Array:
    """Multiply every cell of a vector by every cell of another, as `numpy.linalg.outer`.

    {Parameters} x1, x2: Vectors, of shape (m,) and (n,).
    {Returns} Array: Shape (m, n), the common dtype.
    {Raises} ShapeError: For anything but vectors.
    {See Also} dask_tapestry.outer : flattens its arguments.
    {Examples}
    >>> dt.linalg.outer(dt.ones(2), dt.ones(3)).shape
    (2, 3)
    """
    x, w = asarray(x1), asarray(x2)
    if x.ndim != 1 or w.ndim != 1:
        raise ShapeError(
            "Input arrays must be one-dimensional, but they are "
            f"x1.ndim={x.ndim} and x2.ndim={w.ndim}."
        )
    return products.outer(x, w)


@implements(np.linalg.cross)
def cross(x1: ArrayLike, x2: ArrayLike, /, *, axis: int = -1) -> Array:
    """Return cross products of vectors of three cells, as `numpy.linalg.cross`.

    {Parameters}
        x1, x2: Vectors along `axis`; the other dimensions broadcast.
        axis: Axis of both arrays and of the result.
    {Returns} Array: The broadcast shape, the common dtype.
    {Raises} ShapeError: If the vectors have other than three cells.
    {See Also} dask_tapestry.cross : takes vectors of two cells too.
    {Examples}
    >>> dt.linalg.cross([1, 0, 0], [0, 1, 0]).compute()
    array([0, 0, 1])
    """
    x, w = asarray(x1), asarray(x2)
    integer(axis)
    sides = [a.shape[axis] if -a.ndim <= axis < a.ndim else 3 for a in (x, w)]
    if sides != [3, 3]:
        raise ShapeError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{sides[0]} and {sides[1]} dimensional instead."
        )
    return cross_trace.cross(x, w, axis=axis)


@implements(np.linalg.diagonal)
def diagonal(x: ArrayLike, /, *, offset: int = 0) -> Array:
    """Return the diagonals of matrices, as `numpy.linalg.diagonal`.

    {Parameters}
        x: Matrices, of shape (..., m, n).
        offset: How many places above the main diagonal; negative below.
    {Returns} Array: The dimensions before the last two, and last the diagonal.
    {Raises} ShapeError: For less than two dimensions.
    {See Also} dask_tapestry.diagonal : of any two axes.
    {Examples}
    >>> dt.linalg.diagonal(dt.ones((5, 2, 3))).shape
    (5, 2)
    """
    return Array(diagonal_tensor(asarray(x).node, offset, -2, -1))


@implements(np.linalg.trace)
def trace(x: ArrayLike, /, *, offset: int = 0, dtype: DTypeLike | None = None) -> Array:
    """Sum the cells of a diagonal of each matrix, as `numpy.linalg.trace`.

    {Parameters}
        x: Matrices, of shape (..., m, n).
        offset: How many places the diagonal lies above the main one; negative below.
        dtype: Dtype in which to add; by default that of `x`, and 64-bit integers for smaller ones.
    {Returns} Array: The dimensions before the last two.
    {Raises} ShapeError: For less than two dimensions.
    {See Also} dask_tapestry.trace : of any two axes.
    {Examples}
    >>> dt.linalg.trace(dt.ones((5, 2, 3))).compute()
    array([2., 2., 2., 2., 2.])
    """
    return cross_trace.trace(x, offset, -2, -1, dtype)


@implements(np.linalg.matrix_transpose)
def matrix_transpose(x: ArrayLike, /) -> Array:
    """Exchange the rows and columns of matrices: `dask_tapestry.matrix_transpose`.

    {Parameters} x: Matrices, of shape (..., m, n).
    {Returns} Array: Shape (..., n, m).
    {Raises} ShapeError: For less than two dimensions.
    {Examples}
    >>> dt.linalg.matrix_transpose(dt.ones((5, 2, 3))).shape
    (5, 3, 2)
    """
    return transposing.matrix_transpose(x)
