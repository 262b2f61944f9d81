"""Eigenvalues of real symmetric tridiagonal matrices, by LAPACK or by bisection.

Source: Barth, Martin, Wilkinson, "Calculation of the eigenvalues of a symmetric tridiagonal matrix
by the method of bisection", Numer. Math. 9, 1967.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dask_tapestry_kernels.cpu.blocks import lapack

Vector = np.ndarray[Any, Any]


def tridiagonal_values(diagonal: Vector, below: Vector) -> Vector:
    """Return ascending eigenvalues.

    Parameters
    ----------
    diagonal, below
        Cells of the diagonal, and of the one below it, one less; finite.

    Examples
    --------
    >>> tridiagonal_values(np.array([2.0, 2.0]), np.array([1.0]))
    array([1., 3.])
    """
    found = lapack.tridiagonal_values(diagonal, below)
    return _bisected(diagonal, below) if found is None else found


def _bisected(diagonal: Vector, below: Vector) -> Vector:
    """Eigenvalues, each between two numbers that are halved until they are neighbours."""
    sizes = np.abs(np.concatenate([[0], below, [0]]))
    radii = sizes[:-1] + sizes[1:]
    low = np.full_like(diagonal, (diagonal - radii).min(initial=0))
    high = np.full_like(diagonal, (diagonal + radii).max(initial=0))
    tiny = np.finfo(diagonal.dtype).tiny
    squares, ranks = np.square(below), np.arange(len(diagonal))
    while True:
        middle = low / 2 + high / 2
        if ((middle <= low) | (middle >= high) | (high - low <= tiny)).all():
            return middle
        above = _values_below(diagonal, squares, middle, tiny) > ranks
        low, high = np.where(above, low, middle), np.where(above, middle, high)


def _values_below(diagonal: Vector, squares: Vector, at: Vector, tiny: float) -> Vector:
    """How many eigenvalues are less than each of some numbers: negative pivots of LDL."""
    pivot = diagonal[0] - at
    count = (pivot < 0).astype(np.int64)
    for cell, square in zip(diagonal[1:], squares, strict=True):
        pivot = np.where(np.abs(pivot) < tiny, -tiny, pivot)
        pivot = cell - at - square / pivot
        count += pivot < 0
    return np.asarray(count, np.int64)
