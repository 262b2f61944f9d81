"""Eigenvalues: types, and the meaning of each operator."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices import eigenvalues
from tests.operators.large import cells, definite


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_what_a_plan_computes_is_the_operators_meaning(dtype):
    general, definite_one = cells((2, 4, 4), dtype), definite(4, dtype)[None]
    x, y = dt.asarray(general).node, dt.asarray(definite_one).node
    several = [
        (eigenvalues.eigen(x), general),
        (eigenvalues.hermitian_eigen(y, "U"), definite_one),
    ]
    for (values, vectors), given in several:
        both = values.inputs[0].operator.reference(given)
        for found, name in zip(
            dt.compute(dt.Array(values), dt.Array(vectors)), ("values", "vectors"), strict=True
        ):
            np.testing.assert_array_equal(found, both[name])
    alone = [
        (eigenvalues.eigenvalues(x), general),
        (eigenvalues.hermitian_eigenvalues(y, "L"), definite_one),
    ]
    for node, given in alone:
        found = dt.Array(node).compute()
        expected = node.operator.reference(given)
        np.testing.assert_array_equal(found, expected)
        assert (found.shape, found.dtype) == (node.type.shape, node.type.dtype)


def test_values_alone_are_computed_without_vectors():
    values, _ = eigenvalues.hermitian_eigen(dt.asarray(np.eye(3)).node, "L")
    assert "eigvalsh" in str(dt.Array(values).plan().teg)
