"""Bands that are made tridiagonal keep their eigenvalues, and become so."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks.bulge_chase import chase, diagonals_of, opened


def band_of(side, width, dtype):
    random = np.random.default_rng(side)
    cells = random.normal(size=(width + 1, side)) + 1j * random.normal(size=(width + 1, side))
    cells[0].imag = 0
    cells = cells if dtype == "c16" else np.array(cells.real)
    made = np.zeros((side, side), dtype)
    for d in range(min(width + 1, side)):
        cells[d, side - d :] = 0
        made += np.diag(cells[d, : side - d], -d)
    return cells, made + np.tril(made, -1).conj().T


@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize(
    ("side", "width"), [(1, 0), (1, 3), (2, 1), (7, 2), (30, 7), (31, 30), (6, 9)]
)
def test_a_band_becomes_tridiagonal(side, width, dtype):
    cells, matrix = band_of(side, width, dtype)
    state = opened(cells)
    chase(state)
    diagonal, below = diagonals_of(state)
    made = np.diag(diagonal) + np.diag(below, -1) + np.diag(below, 1)
    expected = np.linalg.eigvalsh(matrix)
    np.testing.assert_allclose(np.linalg.eigvalsh(made), expected, atol=1e-13)


def test_what_is_tridiagonal_stays():
    cells = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 0.0]])
    state = opened(cells)
    chase(state)
    diagonal, below = diagonals_of(state)
    np.testing.assert_array_equal(diagonal, cells[0])
    np.testing.assert_array_equal(below, cells[1, :2])
