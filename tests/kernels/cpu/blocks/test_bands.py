"""Values of bands, by LAPACK or by NumPy's functions alone."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import bands, lapack
from tests.kernels.cpu.blocks.test_bulge_chase import band_of


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
@pytest.mark.parametrize(("side", "width"), [(1, 0), (1, 3), (7, 2), (30, 7), (6, 9)])
def test_values_are_numpys(side, width, dtype):
    cells, matrix = band_of(side, width, dtype)
    found = bands.band_values(cells)
    np.testing.assert_allclose(found, np.linalg.eigvalsh(matrix), atol=1e-13)


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_values_neither_vanish_nor_overflow(scale):
    cells, _ = band_of(20, 3, "f8")
    found = bands.band_values(cells * scale)
    np.testing.assert_allclose(found / scale, bands.band_values(cells), rtol=1e-10, atol=1e-13)


@pytest.mark.usefixtures("either")
def test_a_band_of_zeros_has_zeros():
    np.testing.assert_array_equal(bands.band_values(np.zeros((3, 5), "f4")), np.zeros(5))


def test_cells_that_are_not_finite_are_an_error():
    with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
        bands.scaled(np.array([[1.0, np.inf]]))


def test_a_scaled_band_has_cells_of_about_one():
    cells, scale = bands.scaled(np.array([[3e20, -1e10j]], "c8"))
    assert cells.dtype == np.dtype("c16")
    assert 1 <= abs(cells).max() < 2
    np.testing.assert_array_equal(cells * scale, np.array([[3e20, -1e10j]], "c8"))
