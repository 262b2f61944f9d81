"""Bulges chased out of Hermitian bands, which become real tridiagonal matrices, column by column.

A reflection that clears a column below its second cell fills cells below the band, which the next
one clears in their first column, and so on to the end of the band; the sweeps after it clear the
rest.

The band is held as its *state*: a row for each column of the matrix, with as many cells above the
diagonal as the band has below it, and twice as many below. So any block of the matrix is a view.

Source: Lang, "A parallel algorithm for reducing symmetric banded matrices to tridiagonal form",
SIAM J. Sci. Comput. 14, 1993.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Matrix = np.ndarray[Any, Any]


def opened(band: Matrix) -> Matrix:
    """The state of a band, of which one diagonal a row is given, from the main one down."""
    diagonals, side = band.shape
    width = max(1, diagonals - 1)
    state = np.zeros((side, 3 * width), band.dtype)
    for d, cells in enumerate(band[:side]):
        state[: side - d, width + d] = cells[: side - d]
        state[d:, width - d] = cells[: side - d].conj()
    state[:, width] = state[:, width].real
    return state


def diagonals_of(state: Matrix) -> tuple[Matrix, Matrix]:
    """The diagonal, and the one below it, of a state that is tridiagonal."""
    width = state.shape[1] // 3
    return np.array(state[:, width].real), np.array(state[:-1, width + 1].real)


def chase(state: Matrix) -> None:
    """Make a state tridiagonal, in place."""
    for column in range(len(state) - 1):
        _sweep(state, column)


def _sweep(state: Matrix, column: int) -> None:
    side, width = state.shape[0], state.shape[1] // 3
    first = column + 1
    cells = _block(state, slice(first, min(first + width, side)), slice(column, column + 1))[:, 0]
    v, f = _reflection(cells)
    for start in range(first, side, width):
        stop, end = min(start + width, side), min(start + 2 * width, side)
        square = _block(state, slice(start, stop), slice(start, stop))
        _turn_both_sides(square, v, f)
        if end > stop:
            below = _block(state, slice(stop, end), slice(start, stop))
            v, f = _turn_and_clear(below, v, f)
            _block(state, slice(start, stop), slice(stop, stop + 1))[:, 0] = below[0].conj()


def _block(state: Matrix, rows: slice, columns: slice) -> Matrix:
    """A view of cells of the matrix."""
    length, width = state.shape[1], state.shape[1] // 3
    first = columns.start * (length - 1) + rows.start + width
    sides = rows.stop - rows.start, columns.stop - columns.start
    strides = state.itemsize, (length - 1) * state.itemsize
    return np.ndarray(sides, state.dtype, state, first * state.itemsize, strides)


def _reflection(cells: Matrix) -> tuple[Matrix, Any]:
    """V and f of the reflection whose adjoint makes cells zero but the first, in their place."""
    first, rest = cells[0], np.sqrt(np.vdot(cells[1:], cells[1:]).real)
    if rest == 0 and first.imag == 0:
        v = np.zeros_like(cells)
        v[0] = 1
        return v, cells.dtype.type(0)
    length = -np.copysign(np.hypot(abs(first), rest), first.real)
    v = cells / (first - length)
    v[0] = 1
    cells[...] = 0
    cells[0] = length
    return v, (length - first) / length


def _turn_both_sides(square: Matrix, v: Matrix, f: Any) -> None:
    """Put ``H.H @ A @ H`` in the place of a Hermitian matrix."""
    if f == 0:
        return
    product = f * (square @ v)
    product -= np.conj(f) * np.vdot(v, product) / 2 * v
    _less_pair(square, (product, v), (v, product))


def _turn_and_clear(below: Matrix, v: Matrix, f: Any) -> tuple[Matrix, Any]:
    """Put ``G.H @ A @ H`` in the place of a matrix; return G, which clears its first column."""
    turned = f * (below @ v)
    cells = below[:, 0] - turned * v[0].conj()
    w, g = _reflection(cells)
    other = np.conj(g) * (w.conj() @ below - np.vdot(w, turned) * v.conj())
    _less_pair(below, (turned, w), (v, other.conj()))
    below[:, 0] = cells
    return w, g


def _less_pair(x: Matrix, left: tuple[Matrix, Matrix], right: tuple[Matrix, Matrix]) -> None:
    """Subtract the sum of two outer products from a matrix whose columns lie in memory.

    Their right sides are conjugated.
    """
    by_columns = x.T
    by_columns -= np.conj(np.array(right)).T @ np.array(left)
