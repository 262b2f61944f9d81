"""Factorisations by the names that `dask.array.linalg` has for shapes of blocks."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from dask_tapestry.arrays.core.array import Array
from dask_tapestry.arrays.core.declared_arguments import checked
from dask_tapestry.arrays.core.docstrings import write_out
from dask_tapestry.arrays.linalg.factorizations import qr, svd
from dask_tapestry.arrays.linalg.matrix_functions import matrices
from dask_tapestry.errors import ShapeError

__all__ = ["sfqr", "tsqr"]


@checked
def tsqr(
    data: ArrayLike,
    compute_svd: bool = False,
    _max_vchunk_size: int | None = None,
) -> tuple[Array, ...]:
    """Factor a matrix into orthonormal columns and a triangle, as `qr`: of any shape here.

    {Parameters}
        data: A matrix of shape (m, n); k is the smaller of m and n.
        compute_svd: Whether `svd` is computed instead.
        _max_vchunk_size: As Dask's, without effect: the plan chooses blocks.
    {Returns} tuple of Array: `Q` (m, k) and `R` (k, n); of `svd` u (m, k), s (k) and vh (k, n).
    {Raises} ShapeError: If it is not a matrix.
    {See Also} qr, svd, dask.array.linalg.tsqr
    {Examples}
    >>> q, r = dt.linalg.tsqr(dt.ones((6, 2)))
    >>> q.shape, r.shape
    ((6, 2), (2, 2))
    """
    x = _matrix(data)
    factors: Any = svd(x, full_matrices=False) if compute_svd else qr(x)
    return tuple(factors)


def sfqr(data: ArrayLike, name: str | None = None) -> tuple[Array, ...]:  # noqa: ARG001
    """Factor a matrix into orthonormal columns and a triangle, as `qr`: of any shape here.

    {Parameters}
        data: A matrix of shape (m, n); k is the smaller of m and n.
        name: As Dask's, without effect.
    {Returns} tuple of Array: `Q` (m, k) and `R` (k, n).
    {Raises} ShapeError: If it is not a matrix.
    {See Also} qr, tsqr, dask.array.linalg.sfqr
    {Examples}
    >>> [x.shape for x in dt.linalg.sfqr(dt.ones((2, 6)))]
    [(2, 2), (2, 6)]
    """
    factors: Any = qr(_matrix(data))
    return tuple(factors)


def _matrix(data: ArrayLike) -> Array:
    (x,) = matrices(data)
    if x.ndim != 2:
        raise ShapeError(f"Array must be 2D, not of shape {x.shape}")
    return x


write_out(__name__)
