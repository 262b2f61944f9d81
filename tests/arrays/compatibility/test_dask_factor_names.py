"""Dask's names of factorisations, for matrices of any shape and blocks."""

import numpy as np
import pytest

import dask_tapestry as dt


@pytest.mark.parametrize("factor", [dt.linalg.tsqr, dt.linalg.sfqr])
@pytest.mark.parametrize(("shape", "chunks"), [((40, 6), (7, 6)), ((6, 40), (6, 9)), ((5, 5), 2)])
def test_factors_multiply_to_the_matrix(factor, shape, chunks):
    cells = np.random.default_rng(0).random(shape)
    q, r = factor(dt.from_array(cells, chunks=chunks))
    np.testing.assert_allclose((q @ r).compute(), cells)
    np.testing.assert_allclose((q.T @ q).compute(), np.eye(min(shape)), atol=1e-12)
    np.testing.assert_array_equal(np.tril(r.compute(), -1), 0)


def test_singular_values_are_those_of_svd():
    cells = np.random.default_rng(0).random((40, 6))
    u, s, vh = dt.linalg.tsqr(cells, compute_svd=True)
    assert (u.shape, vh.shape) == ((40, 6), (6, 6))
    np.testing.assert_allclose(s.compute(), np.linalg.svd(cells)[1])
    np.testing.assert_allclose((u * s @ vh).compute(), cells)


@pytest.mark.parametrize("factor", [dt.linalg.tsqr, dt.linalg.sfqr])
def test_stacks_of_matrices_are_refused(factor):
    with pytest.raises(ValueError, match="must be 2D"):
        factor(dt.ones((2, 3, 3)))
