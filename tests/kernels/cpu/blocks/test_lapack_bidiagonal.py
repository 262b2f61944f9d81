"""Bands made bidiagonal, and values of these, by NumPy's library; nothing where there is none."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import lapack, lapack_bidiagonal

needs_lapack = pytest.mark.skipif(lapack.routines() is None, reason="NumPy has another library")


def upper_band(side, width, dtype):
    """Diagonals from the main one up, each cell in its column, and the matrix."""
    random = np.random.default_rng(0)
    cells = random.normal(size=(width + 1, side)) + 1j * random.normal(size=(width + 1, side))
    cells = (cells if dtype == "c16" else cells.real).astype(dtype)
    matrix = np.zeros((side, side), dtype)
    for d in range(width + 1):
        cells[d, : min(d, side)] = 0
        if d < side:
            matrix[np.arange(side - d), np.arange(d, side)] = cells[d, d:]
    return cells, matrix


@needs_lapack
@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize(("side", "width"), [(1, 0), (1, 3), (7, 2), (30, 7), (6, 9)])
def test_a_bidiagonal_matrix_has_the_values_of_the_band(side, width, dtype):
    cells, matrix = upper_band(side, width, dtype)
    diagonal, above = lapack_bidiagonal.bidiagonal_of_band(cells)
    made = np.diag(diagonal) + np.diag(above, 1)
    np.testing.assert_allclose(np.linalg.svdvals(made), np.linalg.svdvals(matrix), atol=1e-13)


@needs_lapack
def test_values_of_a_bidiagonal_matrix_are_numpys():
    diagonal, above = np.array([3.0, -1.0, 0.0]), np.array([2.0, 1e-200])
    found = lapack_bidiagonal.bidiagonal_values(diagonal, above)
    expected = np.linalg.svdvals(np.diag(diagonal) + np.diag(above, 1))
    np.testing.assert_allclose(found, expected, atol=1e-15)


def test_other_libraries_leave_it_to_numpy(monkeypatch):
    monkeypatch.setattr(lapack, "routines", lambda: None)
    assert lapack_bidiagonal.bidiagonal_of_band(np.ones((2, 3))) is None
    assert lapack_bidiagonal.bidiagonal_values(np.ones(3), np.ones(2)) is None
