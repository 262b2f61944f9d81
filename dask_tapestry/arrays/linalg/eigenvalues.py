"""Eigenvalues and eigenvectors of matrices."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dask_tapestry.amounts import is_one_of
from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.dispatch import implements
from dask_tapestry.arrays.linalg.matrix_functions import matrices
from dask_tapestry.errors import ArgumentError
from dask_tapestry.operators.matrices.eigenvalues import (
    eigen,
    eigenvalues,
    hermitian_eigen,
    hermitian_eigenvalues,
)

__all__ = ["eig", "eigh", "eigvals", "eigvalsh"]
Triangle = Literal["L", "U"]


class EigResult(NamedTuple):
    """Eigenvalues of general matrices, and the vectors in columns."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """Ascending eigenvalues of Hermitian matrices, and orthonormal vectors in columns."""

    eigenvalues: Array
    eigenvectors: Array


@implements(np.linalg.eig)
def eig(a: ArrayLike) -> EigResult:
    """Return eigenvalues and eigenvectors of general matrices.

    They are complex whatever the cells, as the Array API has it: whether all are real is not known
    before they are computed.

    {Parameters} {a.square}
    {Returns} EigResult: `eigenvalues`, of shape (..., m), in no order, and `eigenvectors`, of shape
        (..., m, m), in columns of length one.
    {Raises}
        LinAlgError: If the matrices are not square; when it is computed, if cells are not finite.
        {DTypeError.lapack}
    {See Also} eigvals, eigh
    {Examples}
    >>> values, vectors = dt.linalg.eig([[2.0, 0.0], [0.0, 3.0]])
    >>> values.compute()
    array([2.+0.j, 3.+0.j])
    """
    (x,) = matrices(a, square=True)
    return EigResult(*map(Array, eigen(x.node)))


@implements(np.linalg.eigvals)
def eigvals(a: ArrayLike) -> Array:
    """Return eigenvalues of general matrices, complex whatever the cells.

    {Parameters} {a.square}
    {Returns} Array: Shape (..., m), in no order.
    {Raises}
        LinAlgError: If the matrices are not square; when it is computed, if cells are not finite.
        {DTypeError.lapack}
    {See Also} eig, eigvalsh
    {Examples}
    >>> dt.linalg.eigvals([[0.0, 1.0], [-1.0, 0.0]]).compute().imag
    array([ 1., -1.])
    """
    (x,) = matrices(a, square=True)
    return Array(eigenvalues(x.node))


@implements(np.linalg.eigh)
def eigh(a: ArrayLike, UPLO: Triangle = "L") -> EighResult:
    """Return eigenvalues and eigenvectors of Hermitian matrices, as `numpy.linalg.eigh`.

    {Parameters}
        a: Hermitian matrices, of shape (..., m, m).
        {UPLO}
    {Returns} EighResult: `eigenvalues`, of shape (..., m), real and ascending, and orthonormal
        `eigenvectors`, of shape (..., m, m), in columns, the signs of which are LAPACK's.
    {Raises} {LinAlgError.square, ArgumentError.UPLO, DTypeError.lapack}
    {See Also} eigvalsh, svd
    {Examples}
    >>> values, vectors = dt.linalg.eigh([[2.0, 1.0], [1.0, 2.0]])
    >>> values.compute()
    array([1., 3.])
    """
    x, triangle = _hermitian(a, UPLO)
    return EighResult(*map(Array, hermitian_eigen(x.node, triangle)))


@implements(np.linalg.eigvalsh)
def eigvalsh(a: ArrayLike, UPLO: Triangle = "L") -> Array:
    """Return eigenvalues of Hermitian matrices, as `numpy.linalg.eigvalsh`.

    A matrix that no worker holds is made a band by panels of columns; the band is held by one.

    {Parameters}
        a: Hermitian matrices, of shape (..., m, m).
        {UPLO}
    {Returns} Array: Shape (..., m), real and ascending.
    {Raises} {LinAlgError.square, ArgumentError.UPLO, DTypeError.lapack}
    {See Also} eigh, eigvals
    {Examples}
    >>> dt.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).compute()
    array([1., 3.])
    """
    x, triangle = _hermitian(a, UPLO)
    return Array(hermitian_eigenvalues(x.node, triangle))


def _hermitian(a: ArrayLike, triangle: str) -> tuple[Array, Triangle]:
    (x,) = matrices(a, square=True)
    upper = str(triangle).upper()
    if not is_one_of(upper, ("L", "U")):
        raise ArgumentError("UPLO argument must be 'L' or 'U'")
    return x, "L" if upper == "L" else "U"
