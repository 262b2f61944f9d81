import numpy as np
import pytest

import dask_tapestry as dt
from tests.operators.large import KINDS, cells, near


@pytest.mark.parametrize("dtype", [*KINDS, "i4"])
@pytest.mark.parametrize("shape", [(6, 6), (9, 4), (4, 9), (1, 1), (0, 3), (3, 0)])
def test_the_factors_make_the_matrix(shape, dtype):
    a = (9 * cells(shape, dtype if dtype != "i4" else "f8")).astype(dtype)
    kind = np.result_type(a, np.float32) if dtype != "i4" else np.dtype("f8")
    p, low, up = (x.compute() for x in dt.linalg.lu(a))
    side = min(shape)
    assert (p.shape, low.shape, up.shape) == ((shape[0],) * 2, (shape[0], side), (side, shape[1]))
    near(p @ low @ up, a, kind, 1000)
    assert set(p.sum(axis=0).real) <= {1.0}
    np.testing.assert_array_equal(np.triu(low), np.eye(shape[0], side))
    assert not np.tril(up, -1).any()


def test_they_are_scipys():
    scipy = pytest.importorskip("scipy.linalg")
    a = cells((7, 5), "f8")
    for ours, theirs in zip(dt.linalg.lu(a), scipy.lu(a), strict=True):
        np.testing.assert_allclose(ours.compute(), theirs, atol=1e-14)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("lower", [False, True])
def test_triangles_are_solved(dtype, lower):
    a = cells((6, 6), dtype) + 9 * np.eye(6, dtype=dtype)
    alone = np.tril(a) if lower else np.triu(a)
    for b in (cells((6,), dtype, 1), cells((6, 4), dtype, 1), cells((6, 0), dtype, 1)):
        x = dt.linalg.solve_triangular(dt.asarray(a).rechunk((2, 6)), b, lower=lower)
        assert x.shape == b.shape
        near(alone @ x.compute(), b, dtype)


def test_what_is_no_matrix_is_refused():
    stack = np.ones((2, 3, 3))
    with pytest.raises(dt.LinAlgError, match="call it for each"):
        dt.linalg.lu(stack)
    with pytest.raises(dt.LinAlgError, match="call it for each"):
        dt.linalg.solve_triangular(stack, stack)
    with pytest.raises(dt.LinAlgError, match="square"):
        dt.linalg.solve_triangular(np.ones((2, 3)), np.ones(2))
    with pytest.raises(dt.ShapeError, match="do not fit"):
        dt.linalg.solve_triangular(np.eye(3), np.ones(2))
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        dt.linalg.solve_triangular(np.zeros((2, 2)), np.ones(2)).compute()
