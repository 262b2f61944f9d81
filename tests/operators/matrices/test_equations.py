"""Equations with stacks of matrices that broadcast, and the meaning of each operator."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices import equations
from dask_tapestry.operators.matrices.equations import Solve
from dask_tapestry.teg import TensorType, apply
from dask_tapestry.zspace import ZRange
from tests.operators.large import definite

A = np.stack([definite(3, "f8", seed) for seed in range(4)])
B = np.random.default_rng(5).normal(size=(2, 1, 3, 5))


def test_other_dimensions_broadcast():
    node = apply(Solve(True), dt.asarray(A).node, dt.asarray(B).node)
    assert node.type == TensorType((2, 4, 3, 5), np.dtype("f8"))
    reads = node.operator.demand(node.input_types, ZRange((1, 2, 0, 0), (2, 3, 3, 5)))
    assert reads == (ZRange((2, 0, 0), (3, 3, 3)), ZRange((1, 0, 0, 0), (2, 1, 3, 5)))
    found = dt.Array(node)
    np.testing.assert_allclose(found.compute(), np.linalg.solve(A, B))
    np.testing.assert_allclose(found[1, 2:, 0].compute(), np.linalg.solve(A, B)[1, 2:, 0])


def test_shapes_that_do_not_broadcast():
    with pytest.raises(ValueError, match="broadcast"):
        dt.linalg.solve(A, np.ones((3, 3, 2)))


def test_what_a_plan_computes_is_the_operators_meaning():
    x, right = dt.asarray(A[0]).node, dt.asarray(B[0, 0]).node
    made = [
        (equations.solve(x, right), (A[0], B[0, 0])),
        (equations.solve_triangular(x, right, True), (A[0], B[0, 0])),
        (equations.inverse(x), (A[0],)),
        (equations.inverse_of_regular(x), (A[0],)),
        (equations.determinant(x), (A[0],)),
        (equations.packed_sign_and_logarithm(x), (A[0],)),
    ]
    for node, given in made:
        found = dt.Array(node).compute()
        np.testing.assert_allclose(found, node.operator.reference(*given), rtol=1e-12)
        assert (found.shape, found.dtype) == (node.type.shape, node.type.dtype)
    sign, logarithm = equations.sign_and_logarithm(x)
    both = sign.inputs[0].operator.reference(A[0])
    assert (both["sign"], both["logarithm"]) == tuple(np.linalg.slogdet(A[0]))
    assert dt.Array(logarithm).compute() == both["logarithm"]


def test_the_inverse_of_a_singular_matrix():
    singular = A.copy()
    singular[1] = 0
    found = dt.Array(equations.inverse_of_regular(dt.asarray(singular).node)).compute()
    assert np.isnan(found[1]).all()
    np.testing.assert_array_equal(found[[0, 2, 3]], np.linalg.inv(A)[[0, 2, 3]])


def test_columns_of_a_right_side_are_cut():
    operator = equations.solve_triangular(
        dt.placeholder((8, 8), "f8").node, dt.placeholder((8, 100), "f8").node, True
    ).operator
    types = (TensorType((8, 8), np.dtype("f8")), TensorType((8, 100), np.dtype("f8")))
    box = ZRange((0, 10), (8, 20))
    assert operator.granularity(types) == (0, 1)
    assert operator.demand(types, box) == (ZRange((0, 0), (8, 8)), box)
    assert operator.scratch_bytes(types, box) == 1.5 * box.size * 8
