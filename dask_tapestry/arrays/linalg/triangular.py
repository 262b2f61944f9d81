"""Triangles of matrices with exchanged rows, `lu`, and equations with triangles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.linalg.matrix_functions import matrices
from dask_tapestry.errors import LinAlgError, ShapeError
from dask_tapestry.operators.cells.complex_parts import real_part
from dask_tapestry.operators.cells.elementwise import astype, elementwise
from dask_tapestry.operators.cells.where import where
from dask_tapestry.operators.generators.coordinates import coordinates
from dask_tapestry.operators.joins.diagonal import is_below_diagonal, on_diagonal, with_zeros
from dask_tapestry.operators.matrices import equations
from dask_tapestry.operators.matrices.matrix_factors import packed_lu_of
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.operators.views.unsqueeze import unsqueeze
from dask_tapestry.teg import Tensor
from dask_tapestry_kernels.parameters.row_orders import ROWS_A_DIGIT

__all__ = ["lu", "solve_triangular"]


class LUResult(NamedTuple):
    """``P @ L @ U``: a permutation, a lower triangle of ones and less, an upper triangle."""

    P: Array
    L: Array
    U: Array


def lu(a: ArrayLike) -> LUResult:
    """Factor a matrix into a permutation and two triangles, as `scipy.linalg.lu`.

    {Parameters} a: A matrix, of shape (m, n); k is the smaller of m and n.
    {Returns} LUResult: `P`, of shape (m, m), `L`, of shape (m, k), whose diagonal is ones, and `U`,
        of shape (k, n), with ``P @ L @ U`` equal to `a`. They are those of partial pivoting, in
        which no cell of `L` is larger than one, for a matrix of any size. A matrix that is singular
        has factors too.
    {Raises}
        LinAlgError: If `a` is not a matrix.
        {DTypeError.lapack}
    {See Also} solve, cholesky, qr
    {Examples}
    >>> p, l, u = dt.linalg.lu([[1.0, 2.0], [2.0, 2.0]])
    >>> l.compute(), u.compute()
    (array([[1. , 0. ],
           [0.5, 1. ]]), array([[2., 2.],
           [0., 1.]]))
    """
    (x,) = matrices(a)
    _check_matrix("lu", x)
    packed = packed_lu_of(x.node)
    (rows, columns), side = x.shape, min(x.shape)
    order = _order(basic_slice(packed, (slice(None), slice(columns, None))))
    p = elementwise("equal", coordinates((rows, rows), 0), unsqueeze(order, 0))
    lower = basic_slice(packed, (slice(None), slice(side)))
    upper = basic_slice(packed, (slice(side), slice(columns)))
    one = np.ones(1, x.dtype)[0]
    lower = where(
        on_diagonal((rows, side), 0), one, with_zeros(_on_or_below_diagonal(lower, -1), lower)
    )
    upper = with_zeros(elementwise("logical_not", _on_or_below_diagonal(upper, -1)), upper)
    return LUResult(*map(Array, (astype(p, x.dtype), lower, upper)))


def _on_or_below_diagonal(x: Tensor, offset: int) -> Tensor:
    """Whether a cell lies on a diagonal or below."""
    return is_below_diagonal(x.type.shape, offset)


def _order(digits: Tensor) -> Tensor:
    """For each position, the row of the input that pivoting moved there."""
    places = astype(real_part(digits), np.dtype(np.int64))
    high, low = (basic_slice(places, (slice(None), at)) for at in (0, 1))
    return elementwise("add", elementwise("multiply", high, ROWS_A_DIGIT), low)


def _check_matrix(name: str, *found: Array) -> None:
    for x in found:
        if x.ndim != 2:
            raise LinAlgError(
                f"{x.ndim}-dimensional array given. {name} takes a matrix: call it for each"
            )


@checked
def solve_triangular(a: ArrayLike, b: ArrayLike, lower: bool = False) -> Array:
    """Return x with ``a @ x = b`` for a triangle `a`, as `scipy.linalg.solve_triangular`.

    {Parameters}
        a: A square matrix, of shape (m, m), of which one triangle is looked at.
        b: A vector, of shape (m,), or a matrix, of shape (m, k).
        lower: Whether that is the lower triangle; else it is the upper one.
    {Returns} Array: Shape of `b`.
    {Raises}
        LinAlgError: If `a` is no square matrix; when it is computed, if a cell of its diagonal is
            zero.
        {ShapeError, DTypeError.lapack}
    {See Also} solve, cholesky
    {Examples}
    >>> dt.linalg.solve_triangular([[2.0, 1.0], [0.0, 4.0]], [3.0, 4.0]).compute()
    array([1., 1.])
    """
    right = asarray(b)
    is_vector = right.ndim == 1
    x, y = matrices(a, right[:, None] if is_vector else right)
    _check_matrix("solve_triangular", x, y)
    matrices(x, square=True)
    if x.shape[0] != y.shape[0]:
        raise ShapeError(f"a of shape {x.shape} and b of shape {right.shape} do not fit")
    made = Array(equations.solve_triangular(x.node, y.node, bool(lower)))
    return made[:, 0] if is_vector else made
