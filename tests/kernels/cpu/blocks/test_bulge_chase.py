"""Bands that are made narrower keep their values, and become so, however many columns at a time."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import bulge_chase, lapack
from dask_tapestry_kernels.cpu.blocks.bulge_chase import narrowed, opened, prepared, two_diagonals

BANDS = [(1, 0), (1, 3), (2, 1), (7, 2), (30, 7), (31, 30), (6, 9), (41, 8), (40, 13)]


def band_of(side, width, dtype):
    random = np.random.default_rng(side)
    cells = random.normal(size=(width + 1, side)) + 1j * random.normal(size=(width + 1, side))
    cells[0].imag = 0
    cells = cells if dtype == "c16" else np.array(cells.real)
    for d in range(width + 1):
        cells[d, max(0, side - d) :] = 0
    lower = matrix_of(cells)
    return cells, lower + np.tril(lower, -1).conj().T


def matrix_of(cells):
    side = cells.shape[1]
    made = np.zeros((side, side), cells.dtype)
    for d in range(min(len(cells), side)):
        made += np.diag(cells[d, : side - d], -d)
    return made


@pytest.fixture(params=["LAPACK's", "NumPy's"])
def either(request, monkeypatch):
    """Both ways to compute."""
    if request.param == "NumPy's":
        monkeypatch.setattr(lapack, "routines", lambda: None)
    elif lapack.routines() is None:
        pytest.skip("NumPy's library is not OpenBLAS")


@pytest.mark.covering
@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("kept", [1, 2, 3, 5, 12])
@pytest.mark.parametrize(("side", "width"), BANDS)
def test_hermitian_bands_keep_their_values(side, width, kept, dtype):
    cells, matrix = band_of(side, width, dtype)
    made = narrowed(cells, kept, is_hermitian=True)
    assert len(made) == min(width, kept) + 1
    lower = matrix_of(made)
    found = np.linalg.eigvalsh(lower + np.tril(lower, -1).conj().T)
    np.testing.assert_allclose(found, np.linalg.eigvalsh(matrix), atol=1e-13)


@pytest.mark.covering
@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize("kept", [1, 2, 3, 5, 12])
@pytest.mark.parametrize(("side", "width"), BANDS)
def test_triangular_bands_keep_their_values(side, width, kept, dtype):
    cells, _ = band_of(side, width, dtype)
    made = narrowed(cells, kept, is_hermitian=False)
    assert len(made) == min(width, kept) + 1
    expected = np.linalg.svdvals(matrix_of(cells))
    np.testing.assert_allclose(np.linalg.svdvals(matrix_of(made)), expected, atol=1e-13)


@pytest.mark.parametrize("is_hermitian", [False, True])
def test_bands_of_less_rank_keep_their_values(is_hermitian):
    cells, _ = band_of(40, 9, "f8")
    cells[:, 10:20], cells[:, 25:] = 0, cells[:, 25:] * 1e-12
    lower = matrix_of(cells)
    made = matrix_of(narrowed(cells, 3, is_hermitian))
    if is_hermitian:
        lower, made = (one + np.tril(one, -1).T for one in (lower, made))
    found, expected = np.linalg.svdvals(made), np.linalg.svdvals(lower)
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_the_norm_is_kept_to_the_last_bits():
    cells, matrix = band_of(40, 9, "f8")
    made = matrix_of(narrowed(cells, 2, is_hermitian=True))
    found = np.sqrt((made**2).sum() + (np.tril(made, -1) ** 2).sum())
    np.testing.assert_allclose(found, np.linalg.norm(matrix), rtol=1e-14)


def test_a_narrow_band_stays():
    cells, _ = band_of(20, 3, "f8")
    assert narrowed(cells, 3, is_hermitian=True) is cells


@pytest.mark.parametrize("width", [bulge_chase.WORTH - 1, bulge_chase.WORTH])
def test_wide_bands_are_made_narrow_for_lapack(width):
    if lapack.routines() is None:
        pytest.skip("NumPy's library is not OpenBLAS")
    cells, matrix = band_of(width + 9, width, "f8")
    made = prepared(cells, is_hermitian=True)
    assert len(made) == (width + 1 if width < bulge_chase.WORTH else bulge_chase.KEPT + 1)
    lower = matrix_of(made)
    found = np.linalg.eigvalsh(lower + np.tril(lower, -1).T)
    np.testing.assert_allclose(found, np.linalg.eigvalsh(matrix), atol=1e-12)


def test_without_lapack_there_are_two_diagonals(monkeypatch):
    monkeypatch.setattr(lapack, "routines", lambda: None)
    cells, matrix = band_of(20, 5, "c16")
    diagonal, below = two_diagonals(prepared(cells, is_hermitian=True))
    made = np.diag(diagonal.real) + np.diag(below, -1) + np.diag(below, 1)
    expected = np.linalg.eigvalsh(matrix)
    np.testing.assert_allclose(np.linalg.eigvalsh(made), expected, atol=1e-13)


def test_one_diagonal_has_zeros_below():
    diagonal, below = two_diagonals(np.array([[1.0, 2.0, 3.0]]))
    np.testing.assert_array_equal(diagonal, [1, 2, 3])
    np.testing.assert_array_equal(below, [0, 0])


def test_a_state_has_the_adjoint_above_or_nothing():
    cells, matrix = band_of(5, 2, "c16")
    for is_hermitian, expected in ((True, matrix), (False, np.tril(matrix))):
        state = opened(cells, is_hermitian)
        block = bulge_chase._block(state, slice(1, 3), slice(1, 3))
        np.testing.assert_array_equal(block, expected[1:3, 1:3])
