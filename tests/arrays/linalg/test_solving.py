import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import refused

RANDOM = np.random.default_rng(0)
STACK, RIGHT = RANDOM.normal(size=(3, 5, 5)), RANDOM.normal(size=(3, 5, 2))


def near(ours, theirs, dtype="f8"):
    tolerance = 1e-3 if dtype in ("f4", "c8") else 1e-9
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_allclose(ours.compute(), theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "c8", "c16"])
def test_values_are_numpys(dtype):
    a, b = (9 * STACK).astype(dtype), (9 * RIGHT).astype(dtype)
    x = dt.asarray(a).rechunk((1, 3, 2))
    near(dt.linalg.inv(x), np.linalg.inv(a), dtype)
    near(dt.linalg.det(x), np.asarray(np.linalg.det(a)), dtype)
    for one, other in zip(dt.linalg.slogdet(x), np.linalg.slogdet(a), strict=True):
        near(one, other, dtype)
    near(dt.linalg.solve(x, b), np.linalg.solve(a, b), dtype)
    near(np.linalg.solve(x[0], b[0, :, 0]), np.linalg.solve(a[0], b[0, :, 0]), dtype)
    near(dt.linalg.solve(x, b[:1]), np.linalg.solve(a, b[:1]), dtype)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3), (2, 0, 0)])
def test_arrays_without_cells(shape):
    for name in ("inv", "det"):
        expected = np.asarray(getattr(np.linalg, name)(np.zeros(shape)))
        near(getattr(dt.linalg, name)(np.zeros(shape)), expected)


def test_a_singular_matrix_is_told_when_it_is_computed():
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        dt.linalg.solve(np.zeros((2, 2)), np.ones(2)).compute()


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, x: xp.linalg.inv(x(np.ones((2, 3)))),
        lambda xp, x: xp.linalg.det(x(np.ones(3))),
        lambda xp, x: xp.linalg.solve(x(np.eye(3)), x(np.ones(2))),
        lambda xp, x: xp.linalg.solve(x(np.eye(3)), x(np.ones((2, 2)))),
        lambda xp, x: xp.linalg.tensorinv(x(np.ones((2, 3))), 1),
        lambda xp, x: xp.linalg.tensorinv(x(np.eye(3)), 0),
        lambda xp, x: xp.linalg.tensorsolve(x(np.ones((2, 3))), x(np.ones(2))),
    ],
)
def test_what_numpy_refuses_is_refused(call):
    refused(call)


def test_tensors_as_matrices():
    a = RANDOM.normal(size=(4, 6, 8, 3))
    near(dt.linalg.tensorinv(a), np.linalg.tensorinv(a))
    near(np.linalg.tensorinv(dt.asarray(STACK[0]), 1), np.linalg.inv(STACK[0]))
    b, right = RANDOM.normal(size=(2, 3, 6)), np.ones((2, 3))
    near(dt.linalg.tensorsolve(b, right), np.linalg.tensorsolve(b, right))
    turned = b.transpose(2, 0, 1)
    near(
        dt.linalg.tensorsolve(turned, right, axes=(0,)),
        np.linalg.tensorsolve(turned, right, axes=(0,)),
    )
