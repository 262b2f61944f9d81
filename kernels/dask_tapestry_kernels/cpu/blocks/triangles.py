"""Equations with triangles for matrices: by BLAS, or by NumPy, which has no function for them.

By NumPy they are solved by halves, so that most of the work is products. Triangles that are too
small to halve are solved as general matrices; nothing of them is looked at beyond the triangle.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import lapack

Matrix = np.ndarray[Any, Any]
SMALL: Final = 64  # side of a triangle that is not halved: 32 and 128 took as long or longer


def solve_triangle(triangle: Matrix, right: Matrix, lower: bool, unit: bool = False) -> Matrix:
    """Return x with ``triangle @ x = right``.

    Parameters
    ----------
    triangle
        A square matrix, of which the other triangle is not looked at.
    right
        As many rows.
    lower
        Which triangle it is.
    unit
        Whether its diagonal is taken for ones, and not looked at.

    Raises
    ------
    LinAlgError
        If a cell of the diagonal is zero.

    Examples
    --------
    >>> solve_triangle(np.array([[2.0, 9.0], [1.0, 1.0]]), np.array([[2.0], [3.0]]), lower=True)
    array([[1.],
           [2.]])
    """
    made = np.array(right, np.result_type(triangle, right), order="C")
    put_solution(triangle, made, lower, unit)
    return made


def put_solution(triangle: Matrix, right: Matrix, lower: bool, unit: bool = False) -> None:
    """Put x with ``triangle @ x = right`` in the place of `right`, as `solve_triangle` does.

    Examples
    --------
    >>> x = np.array([[2.0], [3.0]])
    >>> put_solution(np.array([[2.0, 9.0], [1.0, 1.0]]), x, lower=True)
    >>> x
    array([[1.],
           [2.]])
    """
    if right.size and not lapack.solve_triangle(triangle, right, lower, unit):
        _solve(triangle, right, lower, unit)


def _solve(triangle: Matrix, right: Matrix, lower: bool, unit: bool) -> None:
    """Put the solution in the place of `right`."""
    side = triangle.shape[0]
    if side <= SMALL:
        right[...] = np.linalg.solve(_alone(triangle, lower, unit), right)
        return
    half = side // 2
    upper_part, lower_part = slice(0, half), slice(half, side)
    first, then = (upper_part, lower_part) if lower else (lower_part, upper_part)
    _solve(triangle[first, first], right[first], lower, unit)
    right[then] -= triangle[then, first] @ right[first]
    _solve(triangle[then, then], right[then], lower, unit)


def _alone(triangle: Matrix, lower: bool, unit: bool) -> Matrix:
    made = np.tril(triangle) if lower else np.triu(triangle)
    if unit:
        np.fill_diagonal(made, 1)
    return made


def clear_beside(matrix: Matrix, lower: bool) -> None:
    """Set all cells of a matrix to zero that are in no triangle.

    Examples
    --------
    >>> x = np.ones((2, 2))
    >>> clear_beside(x, lower=True)
    >>> x
    array([[1., 0.],
           [1., 1.]])
    """
    for start in range(0, len(matrix), SMALL):
        run = slice(start, start + SMALL)
        beside = slice(run.stop, None) if lower else slice(None, start)
        matrix[run, beside] = 0
        matrix[run, run] = np.tril(matrix[run, run]) if lower else np.triu(matrix[run, run])
