import numpy as np
import pytest

from dask_tapestry.operators.kernel_reference import kernel_reference
from dask_tapestry.operators.matrices.matrix_factors import PackedLU, Triangle
from dask_tapestry.operators.matrices.row_blocks import RowTriangles

X = np.random.default_rng(0).normal(size=(6, 3))


@pytest.mark.parametrize("operator", [Triangle(False), PackedLU(False), RowTriangles(3)])
def test_it_is_what_the_kernel_returns_of_whole_arrays(operator):
    made = kernel_reference(operator, X)
    assert np.array_equal(made, operator.reference(X))


def test_values_are_numpys():
    np.testing.assert_array_equal(kernel_reference(Triangle(False), X), np.linalg.qr(X, mode="r"))
    blocks = [np.linalg.qr(block, mode="r") for block in (X[:3], X[3:])]
    np.testing.assert_allclose(kernel_reference(RowTriangles(3), X), np.concatenate(blocks))
