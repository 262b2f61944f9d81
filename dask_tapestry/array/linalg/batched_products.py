"""The Array API's linear algebra without factorizations; matrices are the last two dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry.array.core.array import Array
from dask_tapestry.array.core.convert import asarray
from dask_tapestry.array.core.dispatch import implements
from dask_tapestry.array.linalg import cross_trace, products
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.diagonal import diagonal as diagonal_tensor
from dask_tapestry.operators.permute import permute

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
def matmul(x1: Any, x2: Any, /) -> Array:
    """Matrix product: see `dask_tapestry.matmul`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.linalg.matmul(dt.ones((2, 3)), dt.ones((3, 4))).shape
    (2, 4)
    """
    return products.matmul(x1, x2)


@implements(np.linalg.tensordot)
def tensordot(x1: Any, x2: Any, /, *, axes: products.Axes = 2) -> Array:
    """Sum products over pairs of dimensions: see `dask_tapestry.tensordot`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.linalg.tensordot(dt.ones((2, 3)), dt.ones((3, 4)), axes=1).shape
    (2, 4)
    """
    return products.tensordot(x1, x2, axes)


@implements(np.linalg.vecdot)
def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Sum products along an axis: see `dask_tapestry.vecdot`.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> float(dt.linalg.vecdot(dt.ones(3), dt.ones(3)))
    3.0
    """
    return products.vecdot(x1, x2, axis=axis)


@implements(np.linalg.outer)
def outer(x1: Any, x2: Any, /) -> Array:
    """Multiply every cell of a vector by every cell of another.

    Raises
    ------
    ShapeError
        If an operand has not one dimension.

    Examples
    --------
    >>> import dask_tapestry as dt
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
def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Cross product of vectors of three cells along `axis`.

    Raises
    ------
    ShapeError
        If the vectors have other than three cells.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.linalg.cross([1, 0, 0], [0, 1, 0]).compute()
    array([0, 0, 1])
    """
    x, w = asarray(x1), asarray(x2)
    sides = [a.shape[axis] if -a.ndim <= axis < a.ndim else 3 for a in (x, w)]
    if sides != [3, 3]:
        raise ShapeError(
            "Both input arrays must be (arrays of) 3-dimensional vectors, but they are "
            f"{sides[0]} and {sides[1]} dimensional instead."
        )
    return cross_trace.cross(x, w, axis=axis)


@implements(np.linalg.diagonal)
def diagonal(x: Any, /, *, offset: int = 0) -> Array:
    """Diagonals of matrices, as the last dimension.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.linalg.diagonal(dt.ones((5, 2, 3))).shape
    (5, 2)
    """
    return Array(diagonal_tensor(asarray(x).node, offset, -2, -1))


@implements(np.linalg.trace)
def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """Sum the cells of the diagonal of each matrix.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.linalg.trace(dt.ones((5, 2, 3))).compute()
    array([2., 2., 2., 2., 2.])
    """
    return cross_trace.trace(x, offset, -2, -1, dtype)


@implements(np.linalg.matrix_transpose)
def matrix_transpose(x: Any, /) -> Array:
    """Exchange rows and columns of each matrix.

    Raises
    ------
    ShapeError
        For less than two dimensions.

    Examples
    --------
    >>> import dask_tapestry as dt
    >>> dt.linalg.matrix_transpose(dt.ones((5, 2, 3))).shape
    (5, 3, 2)
    """
    node = asarray(x).node
    ndim = node.type.ndim
    if ndim < 2:
        raise ShapeError(f"Input array must be at least 2-dimensional, but it is {ndim}")
    return Array(permute(node, [*range(ndim - 2), ndim - 1, ndim - 2]))
