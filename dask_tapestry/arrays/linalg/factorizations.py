"""Factors of matrices: `cholesky`, `qr`, `svd`, and singular values.

A tall matrix is factored by blocks of rows, and their triangles again: no worker needs it whole.
Which matrices are tall depends on their shape alone.

Source: Demmel, Grigori, Hoemmen, Langou, "Communication-optimal parallel and sequential QR and LU
factorizations", SIAM J. Sci. Comput. 34, 2012.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import is_one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.elementwise.where_and_clip import where
from dask_tapestry.arrays.linalg.large_factors import large_qr
from dask_tapestry.arrays.linalg.matrix_functions import matrices
from dask_tapestry.arrays.tuning import (
    BLOCK_ROWS_A_COLUMN,
    FEWEST_BLOCK_ROWS_A_COLUMN,
    LEAST_BLOCK_CELLS,
    MOST_BLOCK_CELLS,
    MOST_BLOCK_GROWTH,
    TALL_RATIO,
    WIDE_RATIO,
)
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.cells.elementwise import elementwise
from dask_tapestry.operators.joins.axis_slices import concat_nonempty
from dask_tapestry.operators.matrices import matrix_factors
from dask_tapestry.operators.matrices.matrix_operator import is_large
from dask_tapestry.operators.matrices.row_blocks import (
    triangles_of_blocks,
    turned_columns_of_blocks,
)
from dask_tapestry.operators.products.matmul import matmul
from dask_tapestry.operators.views.permute import permute
from dask_tapestry.operators.views.slice import basic_slice
from dask_tapestry.teg import Tensor

__all__ = ["cholesky", "qr", "svd", "svdvals"]


class QRResult(NamedTuple):
    """``Q @ R``: orthonormal columns, and an upper triangle."""

    Q: Array
    R: Array


class SVDResult(NamedTuple):
    """``U @ diag(S) @ Vh``: orthonormal columns, singular values, orthonormal rows."""

    U: Array
    S: Array
    Vh: Array


@implements(np.linalg.cholesky)
def cholesky(a: ArrayLike, /, *, upper: bool = False, lower: bool | None = None) -> Array:
    """Return the triangle of which the product with its adjoint is `a`.

    {Parameters}
        a: Hermitian, positive definite matrices, of shape (..., m, m); one triangle is looked at.
        upper: Whether the upper triangle is returned, so that ``R.H @ R`` is `a`; else ``L @ L.H``
            is.
        lower: Dask's and SciPy's argument, the opposite of `upper`, which it goes before.
    {Returns} Array: Shape of `a`.
    {Raises}
        LinAlgError: If the matrices are not square; when it is computed, if one is not positive
            definite.
        {DTypeError.lapack}
    {See Also} qr, solve
    {Examples}
    >>> dt.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]]).compute()
    array([[2., 0.],
           [1., 2.]])
    """
    (x,) = matrices(a, square=True)
    upper = upper if lower is None else not lower
    return Array(matrix_factors.cholesky(x.node, bool(upper)))


@implements(np.linalg.qr)
def qr(
    a: ArrayLike, mode: Literal["reduced", "complete", "r", "raw"] = "reduced"
) -> QRResult | Array | tuple[Array, Array]:
    """Factor matrices into orthonormal columns and an upper triangle, as `numpy.linalg.qr`.

    {Parameters}
        a: Matrices, of shape (..., m, n); k is the smaller of m and n.
        mode: ``"reduced"`` for factors of shapes (..., m, k) and (..., k, n), ``"complete"`` for
            (..., m, m) and (..., m, n), ``"r"`` for the triangle of the first alone, ``"raw"`` for
            LAPACK's reflectors (..., n, m) and their factors (..., k).
    {Returns} QRResult, Array or tuple of Array: The factors `Q` and `R`; of ``"r"`` one array.
    {Raises}
        LinAlgError: If `a` has less than two dimensions.
        {ArgumentError.mode, DTypeError.lapack}
    {See Also} svd, cholesky, lstsq
    {Examples}
    >>> x = dt.random.default_rng(0).normal(size=(100_000, 3))
    >>> q, r = dt.linalg.qr(x)
    >>> bool(abs(q @ r - x).max() < 1e-12), bool(abs(q.T @ q - dt.eye(3)).max() < 1e-12)
    (True, True)
    """
    (x,) = matrices(a)
    if not is_one_of(mode, ("reduced", "complete", "r", "raw")):
        raise ArgumentError(f"Unrecognized mode {mode!r}")
    if mode == "reduced":
        q, r = reduced_qr(x.node)
        return QRResult(Array(q), Array(r))
    if mode == "r":
        return triangle_alone(x)
    first, second = map(Array, matrix_factors.qr(x.node, mode))
    return QRResult(first, second) if mode == "complete" else (first, second)


def reduced_qr(x: Tensor) -> tuple[Tensor, Tensor]:
    """Both factors of the reduced QR; a tall matrix is factored by blocks of rows."""
    rows, columns = x.type.shape[-2:]
    each = _least_block_rows(columns)
    if x.type.ndim > 2 or rows < TALL_RATIO * columns or rows < 2 * each or not columns:
        if is_large(x.type):
            return large_qr(x)
        return matrix_factors.qr(x, "reduced")
    count = _blocks_of(rows, each)
    each = rows // count
    tall = basic_slice(x, (slice(0, count * each),))
    rest = basic_slice(x, (slice(count * each, rows),))
    triangles = triangles_of_blocks(tall, each)
    again, r = reduced_qr(concat_nonempty([triangles, rest], 0))
    turns = basic_slice(again, (slice(0, count * columns),))
    turned = turned_columns_of_blocks(tall, each, turns)
    return concat_nonempty([turned, basic_slice(again, (slice(count * columns, None),))], 0), r


def triangle_alone(x: Array) -> Array:
    """The factor `R`."""
    if is_large(x.node.type) and x.shape[0] < TALL_RATIO * x.shape[1]:
        return Array(matrix_factors.triangle(x.node))
    return Array(reduced_qr(x.node)[1])


def _least_block_rows(columns: int) -> int:
    """How many rows a block of a tall matrix has at least."""
    least = LEAST_BLOCK_CELLS // max(columns, 1)
    most = max(FEWEST_BLOCK_ROWS_A_COLUMN * columns, MOST_BLOCK_CELLS // max(columns, 1))
    return max(least, min(BLOCK_ROWS_A_COLUMN * columns, most))


def _blocks_of(rows: int, least: int) -> int:
    """How many blocks of `least` rows or a few times as many, with no rows over if possible."""
    counts = range(rows // least, rows // (MOST_BLOCK_GROWTH * least), -1)
    return next((count for count in counts if rows % count == 0), rows // least)


@implements(np.linalg.svd)
def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    hermitian: bool = False,
    *,
    coerce_signs: bool | None = None,
) -> SVDResult | Array:
    """Factor matrices into rotations and singular values, as `numpy.linalg.svd`.

    {Parameters}
        a: Matrices, of shape (..., m, n); k is the smaller of m and n.
        full_matrices: Whether the rotations have shapes (..., m, m) and (..., n, n); else (..., m,
            k) and (..., k, n). A matrix with many more rows than columns, or the other way round,
            is then factored by blocks.
        compute_uv: Whether the rotations are returned too.
        hermitian: Whether `a` is known to be Hermitian.
        coerce_signs: If given, as `dask.array.linalg.svd`: with ``full_matrices=False``, and if
            true no row of `Vh` has a negative sum.
    {Returns} SVDResult or Array: `U`, `S` of shape (..., k) in descending order, and `Vh`; or `S`
        alone. Signs of rotations are LAPACK's.
    {Raises}
        LinAlgError: If `a` has less than two dimensions.
        {DTypeError.lapack}
    {See Also} svdvals, svd_compressed, qr
    {Examples}
    >>> x = dt.random.default_rng(0).normal(size=(100_000, 3))
    >>> u, s, vh = dt.linalg.svd(x, full_matrices=False)
    >>> u.shape, bool(abs((u * s) @ vh - x).max() < 1e-10)
    ((100000, 3), True)
    """
    (x,) = matrices(a, square=hermitian)
    if coerce_signs is not None and compute_uv:
        u, s, vh = svd(x, full_matrices=False, hermitian=hermitian)
        return SVDResult(*_signed(u, s, vh)) if coerce_signs else SVDResult(u, s, vh)
    if not compute_uv:
        return Array(matrix_factors.singular_values(x.node, True)) if hermitian else svdvals(x)
    if hermitian or (full_matrices and not _is_long(x)):
        return SVDResult(*_whole_svd(x, bool(full_matrices), hermitian))
    u, s, vh = reduced_svd(x)
    if full_matrices:
        u, vh = _completed(u), adjoint(_completed(adjoint(vh)))
    return SVDResult(u, s, vh)


def _signed(u: Array, s: Array, vh: Array) -> tuple[Array, Array, Array]:
    """The same factors of real matrices, signs chosen by the sums of rows of `vh`."""
    if vh.dtype.kind == "c":
        return u, s, vh
    signs = where(vh.sum(axis=-1, keepdims=True) < 0, vh.dtype.type(-1), vh.dtype.type(1))
    return u * signs.mT, s, vh * signs


def _completed(u: Array) -> Array:
    """Orthonormal columns and, after them, others that make a square matrix of them.

    Joined, so that a slice of the first ones asks for no square.
    """
    m, k = u.shape[-2:]
    if m == k:
        return u
    others = basic_slice(matrix_factors.completed_columns(u.node), (..., slice(k, None)))
    return Array(concat_nonempty([u.node, others], u.ndim - 1))


def reduced_svd(x: Array) -> tuple[Array, Array, Array]:
    """The factors of least size; those of a long matrix from its triangle."""
    if not _is_long(x):
        return _whole_svd(x, False, False)
    rows, columns = x.shape[-2:]
    if columns > rows:
        u, s, vh = reduced_svd(adjoint(x))
        return adjoint(vh), s, adjoint(u)
    q, r = reduced_qr(x.node)
    u, s, vh = _whole_svd(Array(r), False, False)
    return Array(matmul(q, u.node)), s, vh


def _is_long(x: Array) -> bool:
    """Whether one side is so much longer that the matrix is factored by its triangle."""
    shorter, longer = sorted(x.shape[-2:])
    least = WIDE_RATIO if is_large(x.node.type) else TALL_RATIO
    return shorter > 0 and longer >= least * shorter


def adjoint(x: Array) -> Array:
    """Matrices with rows and columns exchanged, of conjugate cells."""
    last = x.ndim - 1
    turned = permute(x.node, (*range(last - 1), last, last - 1))
    return Array(elementwise("conjugate", turned) if x.dtype.kind == "c" else turned)


def _whole_svd(x: Array, full_matrices: bool, hermitian: bool) -> tuple[Array, Array, Array]:
    u, s, vh = matrix_factors.svd(x.node, full_matrices, hermitian)
    return Array(u), Array(s), Array(vh)


@implements(np.linalg.svdvals)
def svdvals(x: ArrayLike, /) -> Array:
    """Return the singular values of matrices in descending order.

    {Parameters} x: Matrices, of shape (..., m, n).
    {Returns} Array: Shape (..., min(m, n)), real.
    {Raises}
        LinAlgError: If `x` has less than two dimensions.
        {DTypeError.lapack}
    {See Also} svd, matrix_rank, cond
    {Examples}
    >>> dt.linalg.svdvals([[0.0, 2.0], [1.0, 0.0]]).compute()
    array([2., 1.])
    """
    (matrix,) = matrices(x)
    if _is_long(matrix):
        rows, columns = matrix.shape[-2:]
        matrix = triangle_alone(adjoint(matrix) if columns > rows else matrix)
    return Array(matrix_factors.singular_values(matrix.node, False))
