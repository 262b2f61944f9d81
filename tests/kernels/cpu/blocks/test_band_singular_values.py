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


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("dtype", ["f8", "c16"])
@pytest.mark.parametrize(("side", "width"), [(1, 0), (1, 3), (7, 2), (30, 7), (6, 9)])
def test_values_are_numpys(side, width, dtype):
    cells, matrix = upper_band(side, width, dtype)
    found = bands.band_singular_values(cells)
    np.testing.assert_allclose(found, np.linalg.svdvals(matrix), atol=1e-13)


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


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_rows_by_turns_have_values_of_both_signs(dtype):
    cells, matrix = upper_band(6, 2, dtype)
    made = bands.by_turns(cells)
    lower = sum(np.diag(made[d, : 12 - d], -d) for d in range(1, len(made)))
    found = np.linalg.eigvalsh(lower + lower.conj().T)
    values = np.linalg.svdvals(matrix)
    np.testing.assert_allclose(found, np.sort([*values, *-values]), atol=1e-13)


def test_cells_that_are_not_finite_are_an_error():
    with pytest.raises(np.linalg.LinAlgError, match="SVD did not converge"):
        bands.band_singular_values(np.array([[1.0, np.inf]]))
