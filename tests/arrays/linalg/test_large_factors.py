"""Large matrices that a worker holds: several factors in one array are NumPy's."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices import matrix_operator
from tests.operators.large import cells


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch):
    monkeypatch.setattr(matrix_operator, "LEAST_PANEL_CELLS", 1)


@pytest.mark.parametrize("dtype", ["f4", "c16"])
@pytest.mark.parametrize("shape", [(5, 5), (9, 4), (4, 9)])
def test_factors_are_numpys(shape, dtype):
    a = cells(shape, dtype)
    for ours, theirs in zip(dt.linalg.qr(a), np.linalg.qr(a), strict=True):
        np.testing.assert_array_equal(ours.compute(), theirs)
    np.testing.assert_array_equal(dt.linalg.qr(a, "r").compute(), np.linalg.qr(a, "r"))
    np.testing.assert_allclose(dt.linalg.svdvals(a).compute(), np.linalg.svdvals(a), rtol=1e-5)
    u, s, vh = (x.compute() for x in dt.linalg.svd(a, full_matrices=False))
    np.testing.assert_allclose((u * s) @ vh, a, atol=1e-5)


@pytest.mark.parametrize("dtype", ["f8", "c8"])
def test_determinants_are_numpys(dtype):
    a = cells((5, 5), dtype)
    for ours, theirs in zip(dt.linalg.slogdet(a), np.linalg.slogdet(a), strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.compute(), theirs, rtol=1e-5)
    np.testing.assert_allclose(dt.linalg.det(a).compute(), np.linalg.det(a), rtol=1e-5)
