"""Products that are subtracted a few rows at a time."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import lapack, less_product
from dask_tapestry_kernels.cpu.blocks.less_product import subtract_product, subtract_square


@pytest.mark.covering
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (7, 5)])
@pytest.mark.parametrize("inner", [0, 1, 4])
@pytest.mark.parametrize("slab", [1, 100, 2**20])
@pytest.mark.parametrize("dtypes", ["dd", "ff", "DD", "Dd"])
def test_it_is_the_product(shape, inner, slab, dtypes, monkeypatch):
    monkeypatch.setattr(less_product, "SLAB", slab)
    generator = np.random.default_rng(3)
    x = generator.integers(-9, 9, shape).astype(dtypes[0])
    a = generator.integers(-9, 9, (shape[0], inner)).astype(dtypes[1])
    b = generator.integers(-9, 9, (inner, shape[1])).astype(dtypes[0])
    expected = x - a @ b
    subtract_product(x, a, b)
    assert x.dtype == np.dtype(dtypes[0])
    np.testing.assert_array_equal(x, expected)


def test_a_part_of_a_matrix_is_changed_in_place():
    x = np.ones((6, 6), order="F")
    subtract_product(x[2:, 3:], np.ones((4, 2)), np.ones((2, 3)))
    assert (x[2:, 3:] == -1).all()
    assert x.sum() == 36 - 24


@pytest.mark.covering
@pytest.mark.parametrize("by", ["BLAS", "NumPy"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(5, 3), (1, 4), (4, 0), (0, 2)])
def test_a_square_is_subtracted_from_the_lower_half(by, dtype, order, shape, monkeypatch):
    if by == "NumPy":
        monkeypatch.setattr(lapack, "routines", lambda: None)
    generator = np.random.default_rng(3)
    cells = generator.integers(-9, 9, shape) + 1j * generator.integers(-9, 9, shape)
    a = np.array(cells if dtype[0] == "c" else cells.real, dtype, order=order)
    wide = np.full((shape[0] + 2,) * 2, 7, dtype)
    x = wide[1:-1, 1:-1]
    subtract_square(x, a)
    np.testing.assert_array_equal(np.tril(x), np.tril(7 - a @ a.conj().T))
    assert (wide[0] == 7).all()
    assert (wide[:, 0] == 7).all()
