"""Equations solved, inverses and determinants of square matrices: `solve`, `inv`, `det`."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, integers
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.linalg.large_factors import large_slogdet
from dask_tapestry.arrays.linalg.matrix_functions import matrices
from dask_tapestry.arrays.shape.reshaping import reshape
from dask_tapestry.arrays.shape.transposing import transpose
from dask_tapestry.errors import LinAlgError, ShapeError
from dask_tapestry.operators.matrices import equations
from dask_tapestry.operators.matrices.matrix_operator import is_large

__all__ = ["det", "inv", "slogdet", "solve", "tensorinv", "tensorsolve"]


class SlogdetResult(NamedTuple):
    """A determinant as its sign and the logarithm of its modulus."""

    sign: Array
    logabsdet: Array


@implements(np.linalg.solve)
def solve(a: ArrayLike, b: ArrayLike) -> Array:
    """Return x with ``a @ x = b``, as `numpy.linalg.solve`.

    {Parameters}
        {a.square}
        b: One vector, of shape (m,), or matrices, of shape (..., m, k).
    {Returns} Array: Shape of `b`, with the other dimensions of `a` and `b` broadcast.
    {Raises}
        LinAlgError: If the matrices are not square; when it is computed, if one is singular.
        {ShapeError, DTypeError.lapack}
    {See Also} inv, lstsq
    {Examples}
    >>> dt.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0]).compute()
    array([1. , 0.5])
    """
    right = asarray(b)
    is_vector = right.ndim == 1
    x, y = matrices(a, right[:, None] if is_vector else right)
    matrices(x, square=True)
    if x.shape[-1] != y.shape[-2]:
        raise ShapeError(f"a of shape {x.shape} and b of shape {right.shape} do not fit")
    solution = Array(equations.solve(x.node, y.node))
    return solution[..., 0] if is_vector else solution


@implements(np.linalg.inv)
def inv(a: ArrayLike) -> Array:
    """Return the inverses of matrices, as `numpy.linalg.inv`.

    {Parameters} {a.square}
    {Returns} Array: Shape of `a`.
    {Raises}
        LinAlgError: If the matrices are not square; when it is computed, if one is singular.
        {DTypeError.lapack}
    {See Also}
        solve : quicker, and more exact, where the inverse itself is not needed.
        pinv
    {Examples}
    >>> dt.linalg.inv([[2.0, 0.0], [0.0, 4.0]]).compute()
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    (x,) = matrices(a, square=True)
    return Array(equations.inverse(x.node))


@implements(np.linalg.det)
def det(a: ArrayLike) -> Array:
    """Return the determinants of matrices, as `numpy.linalg.det`.

    {Parameters} {a.square}
    {Returns} Array: Shape (...).
    {Raises} {LinAlgError.square, DTypeError.lapack}
    {See Also} slogdet : for those that would overflow.
    {Examples}
    >>> round(float(dt.linalg.det([[2.0, 0.0], [0.0, 4.0]])), 9)
    8.0
    """
    (x,) = matrices(a, square=True)
    return Array(equations.determinant(x.node))


@implements(np.linalg.slogdet)
def slogdet(a: ArrayLike) -> SlogdetResult:
    """Return sign and logarithm of the determinants of matrices, as `numpy.linalg.slogdet`.

    {Parameters} {a.square}
    {Returns} SlogdetResult: `sign`, of modulus one or zero, and `logabsdet`, real; both of shape
        (...).
    {Raises} {LinAlgError.square, DTypeError.lapack}
    {See Also} det
    {Examples}
    >>> sign, logarithm = dt.linalg.slogdet(-dt.eye(3))
    >>> float(sign), float(logarithm)
    (-1.0, 0.0)
    """
    (x,) = matrices(a, square=True)
    if is_large(x.node.type):
        return SlogdetResult(*large_slogdet(x))
    return SlogdetResult(*map(Array, equations.sign_and_logarithm(x.node)))


@implements(np.linalg.tensorinv)
def tensorinv(a: ArrayLike, ind: int = 2) -> Array:
    """Return the inverse of `a` under `tensordot`, as `numpy.linalg.tensorinv`.

    {Parameters}
        a: An array whose first `ind` dimensions have as many cells as the others.
        ind: How many dimensions come first, 1 or more.
    {Returns} Array: Shape ``a.shape[ind:] + a.shape[:ind]``.
    {Raises}
        ShapeError: If `ind` is not positive, or the dimensions do not fit.
        {DTypeError.lapack}
    {Examples}
    >>> dt.linalg.tensorinv(dt.eye(6).reshape(2, 3, 6)).shape
    (6, 2, 3)
    """
    x = asarray(a)
    if integer(ind) <= 0:
        raise ShapeError("Invalid ind argument.")
    before, after = x.shape[:ind], x.shape[ind:]
    if prod(before) != prod(after):
        raise LinAlgError(f"Last 2 dimensions of the array must be square: {before}, {after}")
    return reshape(inv(reshape(x, (prod(before), prod(after)))), (*after, *before))


@implements(np.linalg.tensorsolve)
def tensorsolve(a: ArrayLike, b: ArrayLike, axes: Sequence[int] | None = None) -> Array:
    """Return x with ``tensordot(a, x, x.ndim) = b``, as `numpy.linalg.tensorsolve`.

    {Parameters}
        a: An array of shape ``b.shape + x.shape``, both of as many cells.
        b: The right side.
        axes: Axes of `a` to move to the end first.
    {Returns} Array: x.
    {Raises} {ShapeError, DTypeError.lapack}
    {Examples}
    >>> dt.linalg.tensorsolve(dt.eye(6).reshape(2, 3, 6), dt.ones((2, 3))).shape
    (6,)
    """
    x, right = asarray(a), asarray(b)
    if axes is not None:
        last = [axis % x.ndim for axis in integers(axes, "axes")]
        x = transpose(x, [axis for axis in range(x.ndim) if axis not in last] + last)
    shape = x.shape[right.ndim :]
    if x.size != prod(shape) ** 2:
        raise LinAlgError(
            "Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == "
            f"prod(a.shape[:b.ndim]): {x.shape}, {right.shape}"
        )
    side = prod(shape)
    return reshape(solve(reshape(x, (side, side)), reshape(right, -1)), shape)
