"""Least squares of matrices of all ratios of sides, and of a few ranks, are NumPy's."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.matrices import least_squares as module
from dask_tapestry.operators.matrices.least_squares import LeastSquares
from dask_tapestry.teg import TensorType

SHARE = 1e-5


@pytest.mark.covering
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("shape", [(30, 5), (6, 5), (5, 5), (5, 9), (3, 1), (0, 3), (3, 0)])
@pytest.mark.parametrize("sides", [1, 7])
@pytest.mark.parametrize("rank", [2, 5])
def test_what_a_plan_computes_is_the_operators_meaning(shape, sides, dtype, rank):
    random = np.random.default_rng(0)
    a = random.normal(size=(shape[0], rank)) @ random.normal(size=(rank, shape[1]))
    a = (a * (1 + 1j) if dtype[0] == "c" else a).astype(dtype)
    b = random.normal(size=(shape[0], sides)).astype(dtype)
    nodes = module.least_squares(dt.asarray(a).node, dt.asarray(b).node, SHARE)
    expected = nodes[0].inputs[0].operator.meaning(a, b)
    for node, wanted in zip(nodes, expected, strict=True):
        found = dt.Array(node).compute()
        np.testing.assert_allclose(found, wanted, atol=1e-3 if dtype in ("f4", "c8") else 1e-10)
        assert (found.shape, found.dtype) == (node.type.shape, node.type.dtype)
        assert np.asarray(wanted).dtype == node.type.dtype


def test_solutions_alone_name_the_others_not():
    operator = LeastSquares(False, ("x", "rank", "s"), SHARE)
    a, b = TensorType((40, 10), np.dtype("c8")), TensorType((40, 2), np.dtype("c8"))
    dtypes = [one.dtype.char for one in operator.results((a, b))]
    assert dtypes == ["F", np.dtype(np.intc).char, "f"]
    assert operator.keeping(["x"]).infer(a, b) != operator.infer(a, b)
