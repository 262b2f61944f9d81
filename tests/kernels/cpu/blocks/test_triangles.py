"""Triangles are solved as NumPy solves them as general matrices."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import triangles
from dask_tapestry_kernels.cpu.blocks.triangles import solve_triangle


@pytest.mark.covering
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("side", [0, 1, 7, 40])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_halves_solve_what_the_whole_does(monkeypatch, side, lower, unit, dtype):
    monkeypatch.setattr(triangles, "SMALL", 4)
    generator = np.random.default_rng(side)
    a = (generator.normal(size=(side, side)) / max(1, side)).astype(dtype)
    np.fill_diagonal(a, 2)
    b = generator.normal(size=(side, 3)).astype(dtype)
    alone = np.tril(a) if lower else np.triu(a)
    if unit:
        np.fill_diagonal(alone, 1)
    found = solve_triangle(a, b, lower=lower, unit=unit)
    assert found.dtype == b.dtype
    np.testing.assert_allclose(alone @ found, b, atol=8 * np.finfo(dtype).eps)


def test_a_zero_on_the_diagonal_is_told():
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        solve_triangle(np.diag([1.0, 0.0]), np.ones((2, 1)), lower=True)
