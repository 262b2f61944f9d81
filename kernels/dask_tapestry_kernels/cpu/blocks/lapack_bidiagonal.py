"""LAPACK's functions of singular values of bands, where NumPy's library has them; see `lapack`."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from dask_tapestry_kernels.cpu.blocks.lapack import routines_for

Matrix = np.ndarray[Any, Any]


def bidiagonal_of_band(band: Matrix) -> tuple[Matrix, Matrix] | None:
    """The diagonal and the one above it of a matrix with a square band's singular values.

    None where NumPy must. The rows of a band are its diagonals from the main one up, each with the
    cells of a column in that column.
    """
    lapack = routines_for(band)
    if lapack is None:
        return None
    diagonals, side = band.shape
    held, real = np.array(band[::-1], order="F"), np.dtype(band.dtype.char.lower())
    diagonal, above = np.empty(side, real), np.empty(side, real)
    rotation, memory = np.empty(1, band.dtype), np.empty(2 * side, band.dtype)
    more = [np.empty(side, real)] if band.dtype.kind == "c" else []
    sides, others = (side, side, 0, 0, diagonals - 1), (rotation, 1, rotation, 1, rotation, 1)
    told = *sides, held, diagonals, diagonal, above, *others, memory, *more, 0
    lapack.call("gbbrd", band.dtype, "N", *told)
    return diagonal, above[: side - 1]


def bidiagonal_values(diagonal: Matrix, above: Matrix) -> Matrix | None:
    """Descending singular values of a real upper bidiagonal matrix; None where NumPy must.

    Raises
    ------
    LinAlgError
        If they are not found.
    """
    lapack = routines_for(diagonal, above)
    if lapack is None:
        return None
    values, others, failed = np.array(diagonal), np.array(above), lapack.integer(0)
    vector, memory = np.empty(1, values.dtype), np.empty(4 * max(1, len(values)), values.dtype)
    sides, vectors = (len(values), 0, 0, 0), (vector, 1, vector, 1, vector, 1)
    place = ctypes.c_void_p(ctypes.addressof(failed))
    lapack.call("bdsqr", values.dtype, "U", *sides, values, others, *vectors, memory, place)
    if failed.value:
        raise np.linalg.LinAlgError("SVD did not converge")
    return values
