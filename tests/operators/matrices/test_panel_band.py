"""Matrices made bands by panels keep their eigenvalues."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices.panel_band import BandValues, hermitian_values_by_panels
from dask_tapestry.teg import TensorType
from dask_tapestry.zspace import ZRange
from tests.operators.large import KINDS, cells, computed


def hermitian(side, dtype, seed=0):
    made = cells((side, side), dtype, seed)
    return made + made.conj().T


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("width", [1, 7, 29, 30, 40])
@pytest.mark.parametrize("triangle", ["L", "U"])
def test_panels_find_numpys_values(dtype, width, triangle):
    a = hermitian(30, dtype)
    looked_at = np.triu(a) if triangle == "U" else np.tril(a)
    looked_at[np.diag_indices(30)] += np.array(1j if dtype[0] == "c" else 0).astype(dtype)
    beside = np.tri(30, k=-1, dtype=bool)
    looked_at[beside if triangle == "U" else beside.T] = np.nan
    found = computed(hermitian_values_by_panels, looked_at, width=width, triangle=triangle)
    expected = np.linalg.eigvalsh(a)
    assert found.dtype == expected.dtype
    bound = 20 * np.finfo(dtype).eps * abs(expected).max()
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound)


SIDE = 45
SPECTRA = {
    "equal": lambda: np.full(SIDE, 2.0),
    "clusters": lambda: np.repeat([1.0, 1.0 + 1e-13, -4.0], SIDE // 3),
    "graded": lambda: np.logspace(-20, 0, SIDE),
    "low rank": lambda: np.concatenate([np.zeros(SIDE - 3), [1.0, 2.0, 2.0]]),
    "huge": lambda: np.linspace(-1, 1, SIDE) * 1e30,
    "zero": lambda: np.zeros(SIDE),
}


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_values_of_all_spectra(spectrum, dtype):
    values = SPECTRA[spectrum]()
    q = np.linalg.qr(cells((SIDE, SIDE), "c16" if dtype[0] == "c" else "f8")).Q
    a = (q * values) @ q.conj().T
    a = (a / 2 + a.conj().T / 2).astype(dtype)
    found = computed(hermitian_values_by_panels, a, width=7, triangle="L")
    bound = 10 * np.finfo(dtype).eps * SIDE**0.5 * abs(values).max()
    np.testing.assert_allclose(found, np.sort(values), rtol=0, atol=bound)


@pytest.mark.parametrize("side", [1, 2, 3])
@pytest.mark.parametrize("width", [1, 2, 3])
def test_values_of_small_matrices(side, width):
    a = hermitian(side, "c16")
    found = computed(hermitian_values_by_panels, a, width=width, triangle="U")
    np.testing.assert_allclose(found, np.linalg.eigvalsh(a, "U"), atol=1e-14)


@pytest.mark.parametrize("cell", [np.nan, np.inf])
def test_cells_that_are_not_finite_are_an_error(cell):
    a = hermitian(20, "f8")
    a[15, 3] = cell
    with pytest.raises(np.linalg.LinAlgError, match="did not converge"):
        computed(hermitian_values_by_panels, a, width=6, triangle="L")


def test_values_of_a_band_take_copies_in_double_precision():
    band = TensorType((3, 10), np.dtype("f4"))
    assert BandValues().scratch_bytes((band,), ZRange((0,), (10,))) == 4 * 30 * 8
    cells_held = np.array([[1.0, 2.0], [0.5, 0.0]])
    expected = np.linalg.eigvalsh([[1.0, 0.5], [0.5, 2.0]])
    np.testing.assert_allclose(BandValues().reference(cells_held), expected)


def test_a_matrix_that_no_worker_holds_is_planned_in_panels():
    x = dt.placeholder((3000, 3000), "f8")
    small = dt.linalg.eigvalsh(x).plan(resources=dt.Resources(4, 1, "200 MB"))
    assert "bandstrip" in str(small)
    large = dt.linalg.eigvalsh(x).plan(resources=dt.Resources(4, 1, "8 GiB"))
    assert "bandstrip" not in str(large)
