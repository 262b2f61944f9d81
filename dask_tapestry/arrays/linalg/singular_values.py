"""Functions of singular values: ranks, conditions, pseudo-inverses and least squares."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import integer, is_one_of, reading
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.convert import asarray
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.linalg.eigenvalues import eigvalsh
from dask_tapestry.arrays.linalg.factorizations import (
    adjoint,
    reduced_qr,
    svd,
    svdvals,
    triangle_alone,
)
from dask_tapestry.arrays.linalg.matrix_functions import matrices, real_dtype
from dask_tapestry.arrays.linalg.norms import matrix_norm
from dask_tapestry.arrays.linalg.products import matmul
from dask_tapestry.arrays.random.generator import Generator, default_rng
from dask_tapestry.arrays.random.seeds import Seed
from dask_tapestry.arrays.tuning import MANY_SIDES_RATIO, TALL_RATIO, WIDE_RATIO
from dask_tapestry.errors import ArgumentError, LinAlgError, ShapeError
from dask_tapestry.operators.broadcast_shapes import broadcast_shape
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.joins.concat import concat
from dask_tapestry.operators.matrices.equations import inverse_of_regular
from dask_tapestry.operators.matrices.least_squares import least_squares
from dask_tapestry.operators.matrices.matrix_operator import is_large
from dask_tapestry.operators.reductions.reduce import reduce

__all__ = ["cond", "lstsq", "matrix_rank", "pinv", "svd_compressed"]


class LstsqResult(NamedTuple):
    """What `lstsq` finds."""

    x: Array
    residuals: Array
    rank: Array
    singular_values: Array


@implements(np.linalg.matrix_rank)
def matrix_rank(
    A: ArrayLike,
    tol: ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rtol: ArrayLike | None = None,
) -> Array:
    """Return the ranks of matrices, as `numpy.linalg.matrix_rank`.

    {Parameters}
        A: Matrices, of shape (..., m, n); a vector has rank one unless all its cells are zero.
        tol: Singular values up to this count as zero; by default those up to `rtol` times the
            largest.
        hermitian: Whether the matrices are known to be Hermitian.
        rtol: By default the larger of m and n times the distance of 1 to the next number.
    {Returns} Array: Shape (...), integers.
    {Raises}
        ArgumentError: If `tol` and `rtol` are both given.
        {DTypeError.lapack}
    {See Also} svdvals
    {Examples}
    >>> int(dt.linalg.matrix_rank(dt.ones((3, 4))))
    1
    """
    if tol is not None and rtol is not None:
        raise ArgumentError("`tol` and `rtol` can't be both set.")
    x = asarray(A)
    if x.ndim < 2:
        return Array(reduce(elementwise("not_equal", x.node, 0), "any")).astype(np.int64)
    found, sizes = _spectrum(x, hermitian)
    if tol is None:
        share = _cutoff(found, rtol)
        least = share * sizes.max(axis=-1) if sizes.shape[-1] else share
    else:
        least = asarray(tol)
    return (sizes > asarray(least)[..., None]).sum(axis=-1)


def _spectrum(x: Array, hermitian: bool) -> tuple[Array, Array]:
    (found,) = matrices(x, square=hermitian)
    return found, abs(eigvalsh(found)) if hermitian else svdvals(found)


def _cutoff(x: Array, rtol: ArrayLike | None) -> Array:
    """The part of the largest singular value up to which others count as zero."""
    if rtol is not None:
        return asarray(rtol)
    return asarray(max(x.shape[-2:]) * np.finfo(real_dtype(x.dtype)).eps)


@implements(np.linalg.cond)
def cond(x: ArrayLike, p: Any = None) -> Array:
    """Return how much matrices enlarge errors, as `numpy.linalg.cond`.

    {Parameters}
        x: Matrices, of shape (..., m, n); square ones for other norms than 2 and -2.
        p: Which norm, as of `matrix_norm`; None for 2.
    {Returns} Array: Shape (...), real; infinity for singular matrices.
    {Raises}
        LinAlgError: If there is no cell, or the matrices are not square where they must be.
        {DTypeError.lapack}
    {Examples}
    >>> float(dt.linalg.cond([[4.0, 0.0], [0.0, 2.0]]))
    2.0
    """
    array = asarray(x)
    if 0 in array.shape[-2:] and array.ndim > 1:
        raise LinAlgError("cond is not defined on empty arrays")
    with reading("p"):
        several = np.ndim(p)
    if several:
        raise ArgumentError(f"p is a number or a name, not {p!r}")
    (matrix,) = matrices(array, square=p not in (None, 2, -2))
    if p in (None, 2, -2):
        sizes = svdvals(matrix)
        first, last = sizes[..., 0], sizes[..., -1]
        condition = last / first if p == -2 else first / last
    else:
        inverse = Array(inverse_of_regular(matrix.node))
        condition = matrix_norm(matrix, ord=p) * matrix_norm(inverse, ord=p)
    unknown = np.isnan(matrix_norm(matrix))
    return where(np.isnan(condition) & ~unknown, condition.dtype.type(inf), condition)


@implements(np.linalg.pinv)
def pinv(
    a: ArrayLike,
    rcond: ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rtol: ArrayLike | None = None,
) -> Array:
    """Return the pseudo-inverses of matrices, as `numpy.linalg.pinv`.

    {Parameters}
        a: Matrices, of shape (..., m, n).
        rcond, rtol: Singular values up to this times the largest count as zero; by default the
            larger of m and n times the distance of 1 to the next number.
        hermitian: Whether the matrices are known to be Hermitian.
    {Returns} Array: Shape (..., n, m).
    {Raises}
        ArgumentError: If `rcond` and `rtol` are both given.
        LinAlgError: If `a` has less than two dimensions.
        {DTypeError.lapack}
    {See Also} inv, lstsq
    {Examples}
    >>> dt.linalg.pinv([[2.0, 0.0], [0.0, 0.0]]).compute()
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    if rcond is not None and rtol is not None:
        raise ArgumentError("`rtol` and `rcond` can't be both set.")
    (x,) = matrices(a, square=hermitian)
    given = rcond if rtol is None else rtol
    u, s, vh = svd(x, full_matrices=False, hermitian=hermitian)
    inverse = _inverse(s, _cutoff(x, given))
    return matmul(adjoint(vh), inverse[..., :, None] * adjoint(u))


def _inverse(s: Array, share: Array) -> Array:
    """The inverses of singular values, of small ones zero."""
    if not s.shape[-1]:
        return s
    if broadcast_shape([share.shape, s.shape[:-1]]) != s.shape[:-1]:
        raise ShapeError(f"rcond of shape {share.shape} for matrices of shape {s.shape[:-1]}")
    large = s > share[..., None] * s.max(axis=-1, keepdims=True)
    return where(large, 1 / where(large, s, s.dtype.type(1)), s.dtype.type(0))


@implements(np.linalg.lstsq)
def lstsq(a: ArrayLike, b: ArrayLike, rcond: float | None = None) -> LstsqResult:
    """Return the x of least length for which ``a @ x`` is nearest to `b`.

    As `numpy.linalg.lstsq`, but the residuals have one shape, whatever the rank is found to be. A
    tall matrix is factored by blocks of rows, and many right sides are solved for by blocks.

    {Parameters}
        a: A matrix, of shape (m, n).
        b: A vector, of shape (m,), or a matrix, of shape (m, k).
        rcond: Singular values up to this times the largest count as zero; by default the larger of
            m and n times the distance of 1 to the next number, and so for -1, the last alone.
    {Returns} LstsqResult: `x`, of shape (n,) or (n, k); `residuals`, the squared distances, of
        shape (1,) or (k,), but (0,) where `a` is no taller than wide; `rank`; `singular_values`, of
        shape (min(m, n),).
    {Raises}
        LinAlgError: If `a` is not a matrix, or `b` has not as many rows.
        {DTypeError.lapack}
    {See Also} solve, pinv, qr
    {Examples}
    >>> x = dt.arange(100_000.0)
    >>> line, *_ = dt.linalg.lstsq(dt.stack([x, dt.ones_like(x)], axis=1), 2 * x + 1)
    >>> line.compute().round(6)
    array([2., 1.])
    """
    right = asarray(b)
    is_vector = right.ndim == 1
    x, y = matrices(a, right[:, None] if is_vector else right)
    if x.ndim != 2 or y.ndim != 2 or x.shape[0] != y.shape[0]:
        raise LinAlgError(f"a of shape {x.shape} and b of shape {right.shape} do not fit")
    is_wide = x.shape[0] <= x.shape[1]
    eps = np.finfo(real_dtype(x.dtype)).eps
    share = float(_cutoff(x, eps if rcond == -1 else rcond))
    x, y, beyond = _as_near(x, y)
    solution, rank, s = _solved(x, y, share)
    squares = _squares(y - matmul(x, solution))
    if beyond is not None:
        squares = squares + _squares(beyond)
    if is_wide:
        squares = squares[:0]
    return LstsqResult(solution[:, 0] if is_vector else solution, squares, rank, s)


def _solved(x: Array, y: Array, share: float) -> tuple[Array, Array, Array]:
    """Solution, rank and singular values, of many right sides by products, which may be cut."""
    least = min(x.shape)
    weight = MANY_SIDES_RATIO * least**2
    if not 0 < least < y.shape[1] or x.shape[0] * y.shape[1] < weight:
        solution, rank, s = map(Array, least_squares(x.node, y.node, share))
        return solution, rank, s
    u, s, vh = svd(x, full_matrices=False)
    turned = _inverse(s, asarray(share))[:, None] * matmul(adjoint(u), y)
    rank = (s > share * s.max()).sum(dtype=np.intc)
    return matmul(adjoint(vh), turned), rank, s


def _as_near(x: Array, y: Array) -> tuple[Array, Array, Array | None]:
    """Fewer equations than ``x @ z = y``, as near for any `z`, and how far those are beyond.

    Of a tall matrix and a few right sides: the triangle of both together, for which they are read
    once. No rotation is made of it, which would be as large as they are.
    """
    (rows, columns), sides = x.shape, y.shape[1]
    ratio = WIDE_RATIO if is_large(x.node.type) else TALL_RATIO
    if not 0 < sides <= columns or rows < ratio * (columns + sides):
        return x, y, None
    r = triangle_alone(Array(concat([x.node, y.node], 1)))
    return r[:columns, :columns], r[:columns, columns:], r[columns:, columns:]


def _squares(x: Array) -> Array:
    """The sums of squared lengths of the cells of columns."""
    return Array(reduce(elementwise("square", abs(x).node), "sum", 0))


@checked
def svd_compressed(
    a: ArrayLike,
    k: int,
    iterator: str = "power",
    n_power_iter: int = 0,
    n_oversamples: int = 10,
    seed: Seed | Generator = None,
    compute: bool = False,  # noqa: ARG001
    coerce_signs: bool = True,
) -> tuple[Array, Array, Array]:
    """Return the `k` largest singular values and their vectors, nearly, by random projections.

    The matrix is read ``2 + 2 * n_power_iter`` times, and products with few columns are held.

    {Parameters}
        a: A matrix, of shape (m, n).
        k: How many.
        iterator: What makes the columns of iterations orthonormal: ``"power"`` at the end, ``"QR"``
            each time, which is more exact.
        n_power_iter: Products with the matrix and its adjoint; more of them are more exact.
        n_oversamples: Columns beyond `k`.
        seed: Of the random projection.
        compute: Accepted for Dask's sake.
        coerce_signs: Whether the first cell of each row of `vh` is made positive.
    {Returns} u, s, vh : Array: Shapes (m, k), (k,) and (k, n).
    {Raises}
        ShapeError: If `a` is not a matrix.
        ArgumentError: For another iterator, or a `k` that is not positive.
        {DTypeError.lapack}
    {See Also} svd

    Notes
    -----
    Source: Halko, Martinsson, Tropp, "Finding structure with randomness", SIAM Rev. 53, 2011,
    algorithms 4.3 and 4.4.

    {Examples}
    >>> x = dt.random.default_rng(0).normal(size=(200, 3)) @ dt.ones((3, 100))
    >>> u, s, vh = dt.linalg.svd_compressed(x, 1, seed=0)
    >>> bool(abs((u * s) @ vh - x).max() < 1e-9)
    True
    """
    (x,) = matrices(a)
    k, n_oversamples = integer(k), integer(n_oversamples)
    if x.ndim != 2:
        raise ShapeError(f"svd_compressed takes a matrix, not shape {x.shape}")
    if not is_one_of(iterator, ("power", "QR")):
        raise ArgumentError(f"iterator {iterator!r}: there are 'power' and 'QR'")
    if k < 1:
        raise ArgumentError(f"k must be positive, not {k}")
    columns = min(k + n_oversamples, *x.shape)
    kind: Any = real_dtype(x.dtype)
    basis = matmul(x, default_rng(seed).standard_normal((x.shape[1], columns), kind))
    for _ in range(integer(n_power_iter)):
        other = matmul(adjoint(x), _orthonormal(basis) if iterator == "QR" else basis)
        basis = matmul(x, _orthonormal(other) if iterator == "QR" else other)
    q = _orthonormal(basis)
    inner, s, vh = svd(matmul(adjoint(q), x), full_matrices=False)
    u, s, vh = matmul(q, inner[:, :k]), s[:k], vh[:k]
    if coerce_signs and x.dtype.kind == "f":
        signs = where(vh[:, :1] < 0, vh.dtype.type(-1), vh.dtype.type(1))
        u, vh = u * signs[:, 0], vh * signs
    return u, s, vh


def _orthonormal(x: Array) -> Array:
    return Array(reduced_qr(x.node)[0])
