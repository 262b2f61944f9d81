"""Singular values of bands, by LAPACK or by NumPy's functions alone."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import band_singular_values as bands
from dask_tapestry_kernels.cpu.blocks import lapack
from tests.kernels.cpu.blocks.test_lapack_bidiagonal import upper_band


@pytest.fixture(params=["LAPACK's", "NumPy's"])
def either(request, monkeypatch):
    """Both ways to compute."""
    if request.param == "NumPy's":
        monkeypatch.setattr(lapack, "routines", lambda: None)
    elif lapack.routines() is None:
        pytest.skip("NumPy's library is not OpenBLAS")
    return request.param


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize(("side", "width"), [(1, 0), (1, 3), (7, 2), (30, 7), (6, 9)])
def test_values_are_numpys(side, width, dtype):
    cells, matrix = upper_band(side, width, dtype)
    found = bands.band_singular_values(cells)
    np.testing.assert_allclose(found, np.linalg.svdvals(matrix), atol=1e-13)


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_values_neither_vanish_nor_overflow(scale):
    cells, _ = upper_band(20, 3, "f8")
    found = bands.band_singular_values(cells * scale)
    np.testing.assert_allclose(
        found / scale, bands.band_singular_values(cells), rtol=1e-10, atol=1e-13
    )


@pytest.mark.usefixtures("either")
def test_a_band_of_zeros_has_zeros():
    np.testing.assert_array_equal(bands.band_singular_values(np.zeros((3, 5), "f4")), np.zeros(5))


def test_rows_by_turns_have_values_of_both_signs():
    diagonal, below = np.array([3.0, -1.0, 0.5]), np.array([2.0, 1e-3])
    beside = bands.by_turns(diagonal, below)
    found = np.linalg.eigvalsh(np.diag(beside, -1) + np.diag(beside, 1))
    values = np.linalg.svdvals(np.diag(diagonal) + np.diag(below, -1))
    np.testing.assert_allclose(found, np.sort([*values, *-values]), atol=1e-14)


def graded(cells):
    cells *= 2.0 ** -np.linspace(0, 60, cells.shape[1])


def deficient(cells):
    side = cells.shape[1]
    cells[:, side // 2 : side * 3 // 4] = 0


def wide_range(cells):
    cells[0, cells.shape[1] // 4 :] = 0


@pytest.mark.few(2)  # each way
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("change", [graded, deficient, wide_range])
@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_values_of_wide_bands_are_as_near_as_lapacks(either, change, dtype):
    """LAPACK's band is one that products make narrow; NumPy's functions do so to each."""
    side, width = (200, 110) if either == "LAPACK's" else (60, 33)
    cells, _ = upper_band(side, width, dtype)
    change(cells)
    matrix = sum(np.diag(cells[d, d:], d) for d in range(len(cells)))
    found, expected = bands.band_singular_values(cells), np.linalg.svdvals(matrix.astype("c16"))
    np.testing.assert_allclose(found, expected, atol=1e-14 * expected[0], rtol=0)


def test_a_band_and_its_transposed_one():
    cells, matrix = upper_band(6, 9, "f8")
    lower = bands.transposed(cells)
    made = sum(np.diag(lower[d, : 6 - d], -d) for d in range(6))
    np.testing.assert_array_equal(made, matrix.T)
    np.testing.assert_array_equal(bands.upper(lower), cells)


def test_cells_that_are_not_finite_are_an_error():
    with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge"):
        bands.band_singular_values(np.array([[1.0, np.inf]]))
