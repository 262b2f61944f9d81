"""Bulges chased out of bands, which become narrower: some columns at a time, by products.

Reflections that clear columns below the band that is kept fill cells below the band that was, which
the next ones clear in as many columns, and so on to the end of the band; the sweeps after it clear
the rest. Of a Hermitian band each is applied from both sides; of another one, which has nothing
above the diagonal, those from the right are others, which clear rows of what the left ones fill.

The band is held as its *state*: a row for each column of the matrix, with as many cells above the
diagonal as the band has below it, and twice as many below. So any block of the matrix is a view.

Source: Bischof, Lang, Sun, "A framework for symmetric band reduction", ACM Trans. Math. Softw. 26,
2000; a column at a time: Lang, "A parallel algorithm for reducing symmetric banded matrices to
tridiagonal form", SIAM J. Sci. Comput. 14, 1993.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dask_tapestry_kernels.cpu.blocks import lapack
from dask_tapestry_kernels.cpu.blocks.less_product import subtract_product
from dask_tapestry_kernels.cpu.blocks.reflectors import reflections, reflectors
from dask_tapestry_kernels.stopping import stop_if_asked

Matrix = np.ndarray[Any, Any]
KEPT: Final = 32  # diagonals below the main one: 16 and 64 take up to 1.4 times as long, side 4000
WORTH: Final = (
    96  # diagonals, of which fewer are made one by LAPACK sooner than they are made fewer
)
Factors = tuple[Matrix, Matrix]  # V and T of reflections


def prepared(band: Matrix, is_hermitian: bool) -> Matrix:
    """A band as `narrowed` makes it for LAPACK, or where NumPy must, one diagonal below another."""
    if lapack.routines_for(band) is None:
        return narrowed(band, 1, is_hermitian)
    return narrowed(band, KEPT, is_hermitian) if len(band) > WORTH else band


def two_diagonals(band: Matrix) -> tuple[Matrix, Matrix]:
    """The main diagonal of such a band, and the sizes of the one below, whose phases are free."""
    below = band[1, :-1] if len(band) > 1 else np.zeros(band.shape[1] - 1)
    return band[0], abs(below)


def opened(band: Matrix, is_hermitian: bool) -> Matrix:
    """The state of a band, of which one diagonal a row is given, from the main one down.

    Above the diagonal is the adjoint, or nothing.
    """
    diagonals, side = band.shape
    width = max(1, diagonals - 1)
    state = np.zeros((side, 3 * width), band.dtype)
    for d, cells in enumerate(band[:side]):
        state[: side - d, width + d] = cells[: side - d]
        if is_hermitian:
            state[d:, width - d] = cells[: side - d].conj()
    if is_hermitian:
        state[:, width] = state[:, width].real
    return state


def narrowed(band: Matrix, width: int, is_hermitian: bool) -> Matrix:
    """The diagonals, as of a band, of one with the same values that has at most `width` below."""
    if len(band) <= width + 1:
        return band
    state = opened(band, is_hermitian)
    chase(state, width, is_hermitian)
    held = state.shape[1] // 3
    return np.array(state[:, held : held + width + 1].T)


def chase(state: Matrix, width: int, is_hermitian: bool) -> None:
    """Leave the main diagonal of a state and `width` ones below it, of more, in place."""
    for column in range(0, len(state) - width, width):
        stop_if_asked()
        _sweep(state, column, width, is_hermitian)


def _sweep(state: Matrix, column: int, kept: int, is_hermitian: bool) -> None:
    side, width = state.shape[0], state.shape[1] // 3
    first = column + kept
    panel = _block(state, slice(first, min(first + width, side)), slice(column, first))
    found = _cleared(panel, kept)
    for start in range(first, side, width):
        stop, end = min(start + width, side), min(start + 2 * width, side)
        own, next_rows = slice(start, stop), slice(stop, end)
        square = _block(state, own, own)
        if is_hermitian:
            _turn_both_sides(square, found)
        else:
            found = _other_side(square, found, kept)
        if end > stop:
            below = _block(state, next_rows, own)
            found = _turn_and_clear(below, found, kept)
        if end > stop and is_hermitian:
            rows, columns = slice(start + kept, stop), slice(stop, min(stop + kept, end))
            _block(state, rows, columns)[...] = below[:kept, kept:].conj().T


def _block(state: Matrix, rows: slice, columns: slice) -> Matrix:
    """A view of cells of the matrix."""
    length, width = state.shape[1], state.shape[1] // 3
    first = columns.start * (length - 1) + rows.start + width
    sides = rows.stop - rows.start, columns.stop - columns.start
    strides = state.itemsize, (length - 1) * state.itemsize
    return np.ndarray(sides, state.dtype, state, first * state.itemsize, strides)


def _cleared(cells: Matrix, count: int) -> Factors:
    """Reflections whose adjoint clears the first columns below their diagonal; it is applied."""
    own = min(count, *cells.shape)
    packed, t = reflectors(cells[:, :own])
    v = reflections(packed)
    cells[:own, :own], cells[own:, :own] = np.triu(packed[:own]), 0
    rest = cells[:, own:]
    subtract_product(rest, v, t.conj().T @ (v.conj().T @ rest))
    return v, t


def _turn_both_sides(square: Matrix, found: Factors) -> None:
    """Put ``H.H @ A @ H`` in the place of a Hermitian matrix."""
    v, t = found
    w = square @ v @ t
    subtract_product(w, v, t.conj().T @ (v.conj().T @ w) / 2)
    left, right = np.concatenate([v, w], axis=1), np.concatenate([w, v], axis=1)
    subtract_product(square, left, right.conj().T)


def _turn_and_clear(below: Matrix, found: Factors, count: int) -> Factors:
    """Put ``G.H @ A @ H`` in the place of a matrix; return G, which clears its first columns."""
    v, t = found
    adjoint = v.conj().T
    turned = below @ v @ t
    cells = np.array(below[:, :count])
    subtract_product(cells, turned, adjoint[:, :count])
    w, s = _cleared(cells, count)
    from_left = w.conj().T
    other = s.conj().T @ (from_left @ below - from_left @ turned @ adjoint)
    subtract_product(below, np.concatenate([turned, w], axis=1), np.concatenate([adjoint, other]))
    below[:, :count] = cells
    return w, s


def _other_side(square: Matrix, found: Factors, count: int) -> Factors:
    """Put ``H.H @ A @ G`` in the place of a matrix; return G, which clears its first rows.

    As `_turn_and_clear` of the transposed matrix.
    """
    v, t = found
    w, s = _turn_and_clear(square.T, (v.conj(), t.conj()), count)
    return w.conj(), s.conj()
