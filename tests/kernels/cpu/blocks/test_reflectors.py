"""Reflections of a panel are a rotation that makes it a triangle."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import lapack
from dask_tapestry_kernels.cpu.blocks.reflectors import (
    reflections,
    reflectors,
    rows_of_reflections,
)


@pytest.fixture(params=["LAPACK's", "NumPy's"])
def either(request, monkeypatch):
    """Both ways to compute."""
    if request.param == "NumPy's":
        monkeypatch.setattr(lapack, "routines", lambda: None)
    elif lapack.routines() is None:
        pytest.skip("NumPy's library is not OpenBLAS")


@pytest.mark.covering
@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(1, 1), (9, 4), (5, 5), (4, 0), (3, 7), (1, 4)])
@pytest.mark.parametrize("rank", [1, 4])
def test_they_rotate(shape, rank, dtype):
    generator = np.random.default_rng(2)
    a = generator.normal(size=(shape[0], rank)) @ generator.normal(size=(rank, shape[1]))
    a = (a + (1j * a[::-1] if dtype[0] == "c" else 0)).astype(dtype)
    packed, t = reflectors(a)
    v, r = reflections(packed), np.triu(packed[: shape[1]])
    q = np.eye(shape[0], dtype=dtype) - v @ t @ v.conj().T
    bound = 60 * np.finfo(dtype).eps
    np.testing.assert_allclose(q[:, : shape[1]] @ r, a, atol=bound)
    np.testing.assert_allclose(q.conj().T @ q, np.eye(shape[0]), atol=bound)


@pytest.mark.parametrize("numbers", [[0, 1, 2, 3], [1, 5], [7, 8], []])
def test_some_rows_of_them_are_those_of_all(numbers):
    packed, _ = reflectors(np.random.default_rng(3).normal(size=(9, 3)))
    v = reflections(packed)
    found = rows_of_reflections(packed, np.array(numbers, int))
    np.testing.assert_array_equal(found, v[np.array(numbers, int)])
