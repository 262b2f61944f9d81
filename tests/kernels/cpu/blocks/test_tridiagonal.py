"""Values of tridiagonal matrices, by LAPACK and by bisection."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import lapack
from dask_tapestry_kernels.cpu.blocks.tridiagonal import tridiagonal_values

CASES = {
    "drawn": (np.random.default_rng(0).normal(size=40), np.random.default_rng(1).normal(size=39)),
    "apart": (np.array([3.0, 1.0, 2.0]), np.zeros(2)),
    "pairs": (np.abs(np.arange(-10.0, 11)), np.ones(20)),
    "equal": (np.ones(9), np.full(8, 1e-20)),
    "zero": (np.zeros(4), np.zeros(3)),
    "one": (np.array([-5.0]), np.zeros(0)),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("alone", [False, True])
def test_values_are_numpys(case, alone, monkeypatch):
    if alone:
        monkeypatch.setattr(lapack, "routines", lambda: None)
    diagonal, below = CASES[case]
    matrix = np.diag(diagonal) + np.diag(below, 1) + np.diag(below, -1)
    found = tridiagonal_values(diagonal, below)
    np.testing.assert_allclose(found, np.linalg.eigvalsh(matrix), atol=1e-13)
