"""Triangles of blocks: their product is the matrix, and pivots keep them small."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import lu
from dask_tapestry_kernels.cpu.blocks.lu import factor_lu, parity

SHAPES = [(1, 1), (40, 40), (60, 13), (13, 60), (1, 5), (5, 1), (0, 3), (3, 0)]


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_the_triangles_make_the_matrix(monkeypatch, shape, dtype):
    monkeypatch.setattr(lu, "NARROW", 3)
    a = np.random.default_rng(1).normal(size=shape).astype(dtype)
    if dtype[0] == "c":
        a = a + (1j * a[::-1]).astype(dtype)
    packed, order = factor_lu(a)
    side = min(shape)
    lower = np.tril(packed[:, :side], -1) + np.eye(shape[0], side)
    assert packed.dtype == a.dtype
    assert sorted(order) == list(range(shape[0]))
    bound = 40 * np.finfo(dtype).eps
    np.testing.assert_allclose(lower @ np.triu(packed[:side]), a[order], atol=bound)
    assert abs(lower).max(initial=0) <= (1 if dtype[0] == "f" else 2**0.5) + bound


def test_columns_of_zeros_and_cells_that_are_no_numbers():
    packed, order = factor_lu(np.zeros((5, 5)))
    assert not packed.any()
    assert order.tolist() == list(range(5))
    assert np.isnan(factor_lu(np.full((3, 3), np.nan))[0]).all()


def test_the_sign_of_an_order_is_its_determinant():
    generator = np.random.default_rng(0)
    for _ in range(8):
        order = generator.permutation(6)
        assert parity(order) == round(np.linalg.det(np.eye(6)[order]))
    assert parity(np.arange(0)) == 1
