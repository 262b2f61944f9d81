import numpy as np
import pytest

import dask_tapestry as dt

STACK = np.random.default_rng(0).normal(size=(3, 5, 5))
SYMMETRIC = STACK + STACK.transpose(0, 2, 1)


@pytest.mark.parametrize("triangle", ["L", "U", "l"])
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_hermitian_matrices_have_numpys_values(dtype, triangle):
    x = (5 * STACK).astype(dtype) if dtype != "c16" else STACK + 1j * STACK[::-1]
    values, vectors = dt.linalg.eigh(x, triangle)
    expected = np.linalg.eigh(x, triangle)
    assert (values.dtype, vectors.dtype) == (expected[0].dtype, expected[1].dtype)
    np.testing.assert_allclose(values.compute(), expected[0], rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(abs(vectors.compute()), abs(expected[1]), rtol=1e-3, atol=1e-3)
    found = np.linalg.eigvalsh(dt.asarray(x).rechunk((1, 2, 3)), triangle)
    np.testing.assert_allclose(found.compute(), expected[0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c16"])
def test_general_matrices_have_complex_values(dtype):
    x = (5 * STACK).astype(dtype)
    values, vectors = (found.compute() for found in dt.linalg.eig(x))
    assert values.dtype == vectors.dtype == np.result_type(np.linalg.inv(x).dtype, "c8")
    np.testing.assert_allclose(x @ vectors, vectors * values[:, None, :], atol=2e-4)
    expected = np.sort_complex(np.linalg.eigvals(x[0]).astype("c16"))
    found = np.sort_complex(dt.linalg.eigvals(x)[0].compute().astype("c16"))
    np.testing.assert_allclose(found, expected, atol=2e-4)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3), (2, 0, 0)])
def test_arrays_without_cells(shape):
    assert dt.linalg.eigvals(np.zeros(shape)).compute().shape == shape[:-1]
    assert dt.linalg.eigh(np.zeros(shape))[1].compute().shape == shape


def test_what_has_no_eigenvalues_is_refused():
    for function in (dt.linalg.eig, dt.linalg.eigh, dt.linalg.eigvals, dt.linalg.eigvalsh):
        with pytest.raises(dt.LinAlgError, match="square"):
            function(np.ones((2, 3)))
    with pytest.raises(dt.ArgumentError, match="UPLO"):
        dt.linalg.eigh(SYMMETRIC, "X")
