"""Matrices made upper bands by panels keep their singular values."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices.panel_upper_band import (
    BandSingularValues,
    singular_values_by_panels,
    upper_band_by_panels,
)
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange
from tests.operators.large import KINDS, cells, computed


def values_of(a, width, is_hermitian=False):
    return computed(singular_values_by_panels, a, width=width, is_hermitian=is_hermitian)


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize(
    ("shape", "width"), [((30, 30), 7), ((44, 30), 16), ((30, 37), 29), ((20, 60), 30), ((9, 9), 1)]
)
def test_panels_find_numpys_values(shape, width, dtype):
    a = cells(shape, dtype)
    found, expected = values_of(a, width), np.linalg.svdvals(a)
    assert found.dtype == expected.dtype
    bound = 20 * np.finfo(dtype).eps * expected.max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("width", [5, 12])
def test_the_band_has_the_matrix_turned_from_both_sides(width, dtype):
    """Its own values are those of the matrix, and nothing else is left of the matrix."""
    a = cells((15, 12), dtype)
    diagonals = computed(upper_band_by_panels, a, width=width)
    assert diagonals.shape == (width + 1, 12)
    band = np.zeros((12, 12), dtype)
    for d in range(min(width + 1, 12)):
        band[np.arange(12 - d), np.arange(d, 12)] = diagonals[d, d:]
        assert not diagonals[d, :d].any()
    bound = 20 * np.finfo(dtype).eps * np.linalg.norm(a, 2)
    np.testing.assert_allclose(np.linalg.svdvals(band), np.linalg.svdvals(a), rtol=0, atol=bound)


SIDE = 45
SPECTRA = {
    "equal": lambda: np.full(SIDE, 2.0),
    "clusters": lambda: np.repeat([1.0, 1.0 + 1e-13, 4.0], SIDE // 3),
    "graded": lambda: np.logspace(-20, 0, SIDE),
    "low rank": lambda: np.concatenate([np.zeros(SIDE - 3), [1.0, 2.0, 2.0]]),
    "huge": lambda: np.linspace(0, 1, SIDE) * 1e30,
    "zero": lambda: np.zeros(SIDE),
}


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_values_of_all_spectra(spectrum, dtype):
    """Small ones are as exact as the largest: those of a product with the adjoint were not."""
    values, kind = SPECTRA[spectrum](), "c16" if dtype[0] == "c" else "f8"
    u, v = np.linalg.qr(cells((60, SIDE), kind)).Q, np.linalg.qr(cells((SIDE, SIDE), kind, 1)).Q
    a = ((u * values) @ v.conj().T).astype(dtype)
    bound = 10 * np.finfo(dtype).eps * SIDE**0.5 * values.max()
    np.testing.assert_allclose(values_of(a, 16), np.sort(values)[::-1], rtol=0, atol=bound)


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (1, 3), (3, 3)])
@pytest.mark.parametrize("width", [1, 2, 3])
def test_values_of_small_matrices(shape, width):
    a = cells(shape, "c16")
    np.testing.assert_allclose(values_of(a, width), np.linalg.svdvals(a), atol=1e-14)


def test_half_of_a_hermitian_matrix_is_looked_at():
    a = cells((20, 20), "c16")
    half = np.tril(a)
    half[~np.tri(20, dtype=bool)] = np.nan
    expected = np.linalg.svd(a, compute_uv=False, hermitian=True)
    np.testing.assert_allclose(values_of(half, 6, is_hermitian=True), expected, atol=1e-12)


@pytest.mark.parametrize("cell", [np.nan, np.inf])
def test_cells_that_are_not_finite_are_an_error(cell):
    a = cells((20, 20), "f8")
    a[15, 3] = cell
    with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge"):
        values_of(a, 6)


def test_values_of_a_band_take_copies_in_double_precision():
    band = TensorType((3, 10), np.dtype("f4"))
    assert BandSingularValues().scratch_bytes((band,), ZRange((0,), (10,))) == 4 * 30 * 8
    cells_held = np.array([[1.0, 2.0], [0.0, 0.5]])
    expected = np.linalg.svdvals([[1.0, 0.5], [0.0, 2.0]])
    np.testing.assert_allclose(BandSingularValues().reference(cells_held), expected)


def test_a_matrix_that_no_worker_holds_is_planned_in_panels():
    x = dt.placeholder((3000, 3000), "f8")
    made = dt.linalg.svdvals(x).plan(resources=dt.Resources(2, 1, "236 MB"))
    assert "rowstrip" in str(made)
    small = dt.linalg.svdvals(dt.placeholder((2000, 2000), "f8"))
    assert "rowstrip" not in str(small.plan(resources=dt.Resources(2, 1, "8 GiB")))
