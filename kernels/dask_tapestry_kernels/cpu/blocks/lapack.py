"""BLAS and LAPACK on matrices in their own memory, from the library that NumPy has loaded.

NumPy has no function for equations with triangles, none that adds a product to a matrix, and none
that keeps both triangles of LU; those that it has copy a matrix there and back. Functions here
return False or None where NumPy's library is not OpenBLAS, or has no routine for the cells: then
callers do the same by NumPy's functions.

Routines take matrices column by column. One whose rows lie in memory, as NumPy makes them, is to
them its transpose: each function says how that is used.

Source: E. Anderson et al., "LAPACK Users' Guide", SIAM, 3rd edition, 1999.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
from threadpoolctl import ThreadpoolController

from dask_tapestry_kernels.cpu.jit.memory_layout import address

Matrix = np.ndarray[Any, Any]
LETTERS: Final = {"f": "s", "d": "d", "F": "c", "D": "z"}  # of routines, by NumPy's of dtypes
SPELLINGS: Final = (("scipy_", "64_"), ("", "64_"), ("scipy_", ""), ("", ""))  # around names
WIDE: Final = b"USE64BITINT"  # in what OpenBLAS says of itself, if its integers have 64 bits
PANEL: Final = 64  # columns for each of which LAPACK wants one vector of memory


class Routines:
    """The routines of a library: their spelling, and how long their integers are."""

    def __init__(self, library: ctypes.CDLL, before: str, after: str) -> None:
        self.library, self.before, self.after = library, before, after
        config = getattr(library, f"{before}openblas_get_config{after.rstrip('_')}", None)
        said = b""
        if config is not None:
            config.restype = ctypes.c_char_p
            said = config() or b""
        self.integer = ctypes.c_int64 if after or WIDE in said else ctypes.c_int32

    @property
    def integers(self) -> np.dtype[Any]:
        """The dtype of arrays of their integers."""
        return np.dtype(self.integer)

    def call(self, name: str, dtype: np.dtype[Any], *arguments: Any) -> None:
        """Call the routine for a dtype: texts, integers, arrays, and numbers of the dtype."""
        held = [self._given(one, dtype) for one in arguments]
        texts = [ctypes.c_size_t(1)] * sum(isinstance(one, str) for one in arguments)
        self._routine(name, LETTERS[dtype.char])(*held, *texts)

    def _routine(self, name: str, letter: str) -> Callable[..., Any]:
        routine: Any = getattr(self.library, f"{self.before}{letter}{name}_{self.after}")
        routine.restype = None
        return routine  # type: ignore[no-any-return]

    def _given(self, one: Any, dtype: np.dtype[Any]) -> Any:
        if isinstance(one, str):
            return ctypes.c_char_p(one.encode())
        if isinstance(one, int):
            return ctypes.byref(self.integer(one))
        if isinstance(one, float):
            return np.array(one, dtype).ctypes.data_as(ctypes.c_void_p)
        return one if isinstance(one, ctypes._SimpleCData) else ctypes.c_void_p(address(one))


@cache
def routines() -> Routines | None:
    """Those of NumPy's library; None where that is not OpenBLAS."""
    for one in ThreadpoolController().lib_controllers:
        if one.internal_api == "openblas" and "numpy" in one.filepath:
            return _spelt(ctypes.CDLL(one.filepath))
    return None


def _spelt(library: ctypes.CDLL) -> Routines | None:
    for before, after in SPELLINGS:
        if hasattr(library, f"{before}dpotrf_{after}"):
            return Routines(library, before, after)
    return None


def routines_for(*matrices: Matrix) -> Routines | None:
    """The routines, if there are some for the cells of matrices, which are of one dtype."""
    dtypes = {x.dtype for x in matrices}
    native = all(x.dtype.char in LETTERS and x.dtype.isnative for x in matrices)
    return routines() if native and len(dtypes) == 1 else None


def rows_apart(x: Matrix) -> int | None:
    """How many cells the rows of a matrix lie apart; None where cells of a row do not neighbour.

    None, too, where cells are not aligned, as in what came over a network.

    Examples
    --------
    >>> x = np.zeros((4, 6))
    >>> rows_apart(x[:, 2:]), rows_apart(x.T), rows_apart(x[:, ::2]), rows_apart(x[::-1])
    (6, None, None, None)
    """
    rows, columns = map(int, x.shape)
    if not x.flags.aligned or (columns > 1 and x.strides[1] != x.itemsize):
        return None
    if rows <= 1:
        return max(1, columns)
    apart, rest = divmod(x.strides[0], x.itemsize)
    return apart if not rest and apart >= max(1, columns) else None


def _laid(x: Matrix) -> tuple[Matrix, int, str]:
    """A matrix, a copy if it lies as none of LAPACK's; rows apart; T if it is its transpose."""
    apart = rows_apart(x)
    if apart is not None:
        return x, apart, "N"
    apart = rows_apart(x.T)
    if apart is not None:
        return x, apart, "T"
    return np.array(x, order="C"), max(1, x.shape[1]), "N"


def subtract_product(x: Matrix, a: Matrix, b: Matrix) -> bool:
    """Subtract ``a @ b`` from `x`, by ``x.T -= b.T @ a.T``; False where NumPy must."""
    blas = routines_for(x, a, b)
    if blas is None:
        return False
    row_stride = rows_apart(x)
    if row_stride is None:
        return rows_apart(x.T) is not None and subtract_product(x.T, b.T, a.T)
    if 0 in (*x.shape, a.shape[1]):
        return True
    (a, a_stride, a_turned), (b, b_stride, b_turned) = _laid(a), _laid(b)
    sides = x.shape[1], x.shape[0], a.shape[1]
    operands = -1.0, b, b_stride, a, a_stride, 1.0, x, row_stride
    blas.call("gemm", x.dtype, b_turned, a_turned, *sides, *operands)
    return True


def subtract_square(x: Matrix, a: Matrix) -> bool:
    """Subtract ``a @ a.conj().T`` from the lower half of `x`; False where NumPy must.

    The other half is not looked at. The rows of `x` lie in memory, so it is BLAS's upper half.
    """
    blas, row_stride = routines_for(x, a), rows_apart(x)
    if blas is None or row_stride is None:
        return False
    if a.size:
        name, operation = ("herk", "C") if x.dtype.kind == "c" else ("syrk", "T")
        laid = a if rows_apart(a) else np.array(a, order="C")
        operands = -1.0, laid, rows_apart(laid), 1.0, x, row_stride
        blas.call(name, x.dtype, "U", operation, len(x), a.shape[1], *operands)
    return True


def solve_triangle(triangle: Matrix, right: Matrix, lower: bool, unit: bool) -> bool:
    """Put x with ``triangle @ x = right`` in the place of `right`; False where NumPy must.

    Where the rows of `right` lie in memory it is solved as ``x.T @ triangle.T = right.T``, and
    the triangle is the other one.

    Raises
    ------
    LinAlgError
        If a cell of the diagonal is zero.
    """
    blas, row_stride = routines_for(triangle, right), rows_apart(right)
    by_rows = row_stride is not None
    row_stride = row_stride if by_rows else rows_apart(right.T)
    if blas is None or row_stride is None:
        return False
    if not unit and not np.diagonal(triangle).all():
        raise np.linalg.LinAlgError("Singular matrix")
    laid, laid_stride, turned = _laid(triangle)
    laid_upper = "U" if lower == (turned == "N") else "L"
    operation = turned if by_rows else _other(turned)
    words = "R" if by_rows else "L", laid_upper, operation, "U" if unit else "N"
    sides = right.shape[::-1] if by_rows else right.shape
    if right.size:
        blas.call("trsm", right.dtype, *words, *sides, 1.0, laid, laid_stride, right, row_stride)
    return True


def _other(turned: str) -> str:
    return "T" if turned == "N" else "N"


def factor_lu(packed: Matrix) -> Matrix | None:
    """Put both triangles in the place of a matrix, whose columns lie in memory.

    It returns for each pivot the row with which its own is exchanged, or None where NumPy must.
    """
    lapack, row_stride = routines_for(packed), rows_apart(packed.T)
    if lapack is None or row_stride is None:
        return None
    rows, columns = packed.shape
    exchanged = np.arange(1, min(rows, columns) + 1, dtype=lapack.integers)
    if packed.size:
        lapack.call("getrf", packed.dtype, rows, columns, packed, row_stride, exchanged, 0)
    return exchanged - 1


def invert(x: Matrix) -> bool:
    """Put the inverse of a matrix in its place; False where NumPy must.

    From its triangles, a quarter less work than equations with a unit matrix, which NumPy solves.
    The rows of the matrix lie in memory: LAPACK inverts the transpose.

    Raises
    ------
    LinAlgError
        If the matrix is singular.
    """
    lapack, apart = routines_for(x), rows_apart(x)
    if lapack is None or apart is None:
        return False
    failed, side = lapack.integer(0), len(x)
    exchanged = np.empty(side, lapack.integers)
    if x.size:
        lapack.call("getrf", x.dtype, side, side, x, apart, exchanged, _place(failed))
    if failed.value:
        raise np.linalg.LinAlgError("Singular matrix")
    if x.size:
        memory = _memory(x)
        lapack.call("getri", x.dtype, side, x, apart, exchanged, memory, len(memory), 0)
    return True


def cholesky(x: Matrix, upper: bool) -> bool:
    """Put a triangle in the place of one half of a matrix; False where NumPy must.

    The rows of the matrix lie in memory, so LAPACK's triangle is the other one of its conjugate.

    Raises
    ------
    LinAlgError
        If the matrix is not positive definite.
    """
    lapack, apart = routines_for(x), rows_apart(x)
    if lapack is None or apart is None:
        return False
    failed = lapack.integer(0)
    if x.size:
        told = "L" if upper else "U", len(x), x, apart
        lapack.call("potrf", x.dtype, *told, _place(failed))
    if failed.value:
        raise np.linalg.LinAlgError("Matrix is not positive definite")
    return True


def factor_qr(packed: Matrix) -> Matrix | None:
    """Put a triangle and reflections in the place of a matrix, whose columns lie in memory.

    It returns the reflections' factors, or None where NumPy must.
    """
    lapack, row_stride = routines_for(packed), rows_apart(packed.T)
    if lapack is None or row_stride is None:
        return None
    rows, columns = packed.shape
    factors, memory = np.empty(min(rows, columns), packed.dtype), _memory(packed)
    if packed.size:
        sides = rows, columns, packed, row_stride
        lapack.call("geqrf", packed.dtype, *sides, factors, memory, len(memory), 0)
    return factors


def factor_reflectors(packed: Matrix, width: int | None = None) -> Matrix | None:
    """Put a triangle and reflections in the place of a matrix, as `factor_qr`; return their T.

    Parameters
    ----------
    packed
        A matrix whose columns lie in memory.
    width
        Of how many columns a block is, each of which has its own T; the default is all.

    Returns
    -------
    Matrix or None
        Upper triangles side by side, `width` rows, zero where there are fewer rows than columns;
        None where NumPy must.
    """
    lapack, row_stride = routines_for(packed), rows_apart(packed.T)
    if lapack is None or row_stride is None:
        return None
    rows, columns = packed.shape
    height = columns if width is None else width
    t = np.zeros((height, columns), packed.dtype, order="F")
    if packed.size:
        count = min(rows, columns, height)
        memory = np.empty(count * columns, packed.dtype)
        sides = rows, columns, count, packed, row_stride
        lapack.call("geqrt", packed.dtype, *sides, t, height, memory, 0)
    return t


def orthonormal_columns(packed: Matrix, factors: Matrix) -> None:
    """Put the columns that reflections make of a unit matrix in their place.

    Parameters
    ----------
    packed, factors
        As by `factor_qr`, of a matrix with at least as many rows as columns.
    """
    lapack, row_stride = routines_for(packed), rows_apart(packed.T)
    assert lapack is not None and row_stride is not None  # noqa: PT018
    rows, columns = packed.shape
    if packed.size:
        name = "ungqr" if packed.dtype.kind == "c" else "orgqr"
        sides, memory = (rows, columns, len(factors)), _memory(packed)
        lapack.call(name, packed.dtype, *sides, packed, row_stride, factors, memory, len(memory), 0)


def _memory(packed: Matrix) -> Matrix:
    """What LAPACK works in beside a matrix."""
    return np.empty(PANEL * max(1, packed.shape[1]), packed.dtype)


def _place(number: Any) -> Any:
    return ctypes.c_void_p(ctypes.addressof(number))


def tridiagonal_of_band(band: Matrix) -> tuple[Matrix, Matrix] | None:
    """The diagonal and the one below it of a matrix with a band's eigenvalues.

    None where NumPy must. The rows of a Hermitian band are its diagonals from the main one down.
    """
    lapack = routines_for(band)
    if lapack is None:
        return None
    width, side = band.shape
    held, real = np.array(band, order="F"), np.dtype(band.dtype.char.lower())
    diagonal, below = np.empty(side, real), np.empty(side, real)
    rotation, memory = np.empty(1, band.dtype), np.empty(side, band.dtype)
    told = "N", "L", side, width - 1, held, width, diagonal, below, rotation, 1, memory, 0
    lapack.call("hbtrd" if band.dtype.kind == "c" else "sbtrd", band.dtype, *told)
    return diagonal, below[: side - 1]


def tridiagonal_values(diagonal: Matrix, below: Matrix) -> Matrix | None:
    """Ascending eigenvalues of a real symmetric tridiagonal matrix; None where NumPy must.

    Raises
    ------
    LinAlgError
        If they are not found.
    """
    lapack = routines_for(diagonal, below)
    if lapack is None:
        return None
    values, others, failed = np.array(diagonal), np.array(below), lapack.integer(0)
    lapack.call("sterf", values.dtype, len(values), values, others, _place(failed))
    if failed.value:
        raise np.linalg.LinAlgError("Eigenvalues did not converge")
    return values
