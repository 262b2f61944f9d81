"""Products of matrices and tensors: `matmul`, `dot`, `inner`, `outer`, `tensordot`, `kron`.

Values agree with NumPy's within rounding, not bit for bit: BLAS adds in an order that depends on
the block's shape. Products of vectors alone are sums in the canonical order, the same for every
sharding.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from dask_tapestry.amounts import reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.core.out_argument import Out, assigned_to_out
from dask_tapestry.arrays.linalg.gufunc_options import CoreAxes, with_gufunc_options
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.products.matmul import matmul as matmul_tensors
from dask_tapestry.operators.products.tensordot import tensordot as tensordot_of
from dask_tapestry.operators.views.reshape import reshape
from dask_tapestry.teg import Tensor

__all__ = [
    "dot",
    "inner",
    "kron",
    "matmul",
    "outer",
    "tensordot",
]
AxesPair = int | tuple[int | Sequence[int], int | Sequence[int]]


@implements(np.matmul)
def matmul(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Out = None,
    *,
    axes: CoreAxes | None = None,
    dtype: DTypeLike | None = None,
) -> Array:
    """Multiply matrices, ``x1 @ x2``, as `numpy.matmul`.

    Values agree with NumPy's within rounding, not bit for bit: BLAS adds in an order that depends
    on the block's shape.

    {Parameters}
        x1: Matrices, of shape (..., m, k), or a vector, of shape (k,).
        x2: Matrices, of shape (..., k, n), or a vector, of shape (k,).
        {out.core}
        axes: Dimensions of the matrices in each operand, and in the result; by default the last
            ones.
        {dtype.common}
    {Returns} Array: Shape (..., m, n), without the dimension that a vector lacks; the common dtype.
    {Raises}
        ShapeError: If the contracted dimensions differ or an argument has none.
        DTypeError: If there is no product of the dtypes.
    {See Also} dot, tensordot, einsum, linalg.multi_dot
    {Examples}
    >>> dt.matmul(dt.ones((2, 3)), dt.ones(3)).compute()
    array([3., 3.])
    """
    return with_gufunc_options(_matmul, (2, 2, 2), (x1, x2), out, axes, dtype)


def _matmul(x: Array, w: Array) -> Array:
    return Array(matmul_tensors(x.node, w.node))


@implements(np.dot)
def dot(a: ArrayLike, b: ArrayLike, out: Array | None = None) -> Array:
    """Sum products over the last dimension of `a` and the last but one of `b`, as `numpy.dot`.

    {Parameters}
        a, b: Arrays; of a vector the only dimension is summed over, a scalar is multiplied.
        {out.value}
    {Returns} Array: The other dimensions of `a`, then those of `b`; the common dtype.
    {Raises} ShapeError: If those dimensions differ.
    {See Also} matmul, tensordot, vdot
    {Examples}
    >>> int(dt.dot(dt.arange(4), dt.arange(4)))
    14
    """
    x, w = asarray(a).node, asarray(b).node
    if not x.type.ndim or not w.type.ndim:
        return assigned_to_out(out, Array(elementwise("multiply", x, w)))
    return assigned_to_out(out, Array(_contracted(x, w, max(w.type.ndim - 2, 0))))


@implements(np.inner)
def inner(a: ArrayLike, b: ArrayLike, /) -> Array:
    """Sum products over the last dimensions of both arrays, as `numpy.inner`.

    {Parameters} a, b: Arrays; a scalar is multiplied.
    {Returns} Array: The other dimensions of `a`, then those of `b`; the common dtype.
    {Raises} ShapeError: If those dimensions differ.
    {See Also} dot, tensordot
    {Examples}
    >>> dt.inner(dt.ones((2, 3)), dt.ones((4, 3))).shape
    (2, 4)
    """
    x, w = asarray(a).node, asarray(b).node
    if not x.type.ndim or not w.type.ndim:
        return Array(elementwise("multiply", x, w))
    return Array(_contracted(x, w, w.type.ndim - 1))


def _contracted(x: Tensor, w: Tensor, axis: int) -> Tensor:
    """Sum products over the last dimension of `x` and dimension `axis` of `w`."""
    last = x.type.ndim - 1
    if x.type.shape[last] != w.type.shape[axis]:
        raise ShapeError(
            f"shapes {_shape_text(x)} and {_shape_text(w)} not aligned: "
            f"{x.type.shape[last]} (dim {last}) != {w.type.shape[axis]} (dim {axis})"
        )
    return tensordot_of(x, w, (last,), (axis,))


def _shape_text(x: Tensor) -> str:
    return str(x.type.shape).replace(" ", "")


@implements(np.tensordot)
def tensordot(a: ArrayLike, b: ArrayLike, axes: AxesPair = 2) -> Array:
    """Sum products over pairs of dimensions, as `numpy.tensordot`.

    {Parameters}
        a, b: The arrays.
        axes: How many last dimensions of `a` are summed over with as many first ones of `b`; or the
            dimensions of `a` and those of `b`.
    {Returns} Array: The other dimensions of `a`, then those of `b`; the common dtype.
    {Raises} ShapeError: If those dimensions differ.
    {See Also} dot, einsum
    {Examples}
    >>> dt.tensordot(dt.ones((2, 3, 4)), dt.ones((4, 3, 5)), ([1, 2], [1, 0])).shape
    (2, 5)
    """
    x, w = asarray(a).node, asarray(b).node
    if isinstance(axes, Sequence):
        with reading("axes"):
            left, right = ([*ax] if isinstance(ax, Sequence) else [ax] for ax in axes)
    else:
        with reading("axes"):
            count = index(axes)
        left, right = [*range(-count, 0)], [*range(count)]
    return Array(tensordot_of(x, w, left, right))


@implements(np.outer)
def outer(a: ArrayLike, b: ArrayLike, out: Array | None = None) -> Array:
    """Multiply every cell of `a` by every cell of `b`, as `numpy.outer`.

    {Parameters}
        a, b: Arrays of m and of n cells; they are flattened.
        {out.value}
    {Returns} Array: Shape (m, n), the common dtype.
    {See Also} inner, kron, linalg.outer
    {Examples}
    >>> dt.outer(dt.arange(2), dt.arange(3)).compute()
    array([[0, 0, 0],
           [0, 1, 2]])
    """
    x, w = (asarray(t).node for t in (a, b))
    column, row = reshape(x, (x.type.size, 1)), reshape(w, (1, w.type.size))
    return assigned_to_out(out, Array(elementwise("multiply", column, row)))


@implements(np.kron)
def kron(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the Kronecker product, as `numpy.kron`: `b` multiplied by each cell of `a` in turn.

    {Parameters} a, b: Arrays; the one with fewer dimensions gets new first ones.
    {Returns} Array: Each length of `a` multiplied by that of `b`; the common dtype.
    {See Also} outer
    {Examples}
    >>> dt.kron(dt.arange(2), dt.ones(2)).compute()
    array([0., 0., 1., 1.])
    """
    x, w = asarray(a).node, asarray(b).node
    ndim = max(x.type.ndim, w.type.ndim)
    m, n = ((1,) * (ndim - t.type.ndim) + t.type.shape for t in (x, w))
    left = reshape(x, [side for i in m for side in (i, 1)])
    right = reshape(w, [side for j in n for side in (1, j)])
    product = elementwise("multiply", left, right)
    return Array(reshape(product, [i * j for i, j in zip(m, n, strict=True)]))
