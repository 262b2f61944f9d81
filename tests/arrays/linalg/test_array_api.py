import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.linalg import array_api

X = np.arange(24.0).reshape(2, 3, 4)


def test_names_are_in_the_namespace():
    assert all(getattr(dt.linalg, n) is getattr(array_api, n) for n in array_api.__all__)


def test_matrices_are_the_last_two_dimensions():
    x = dt.asarray(X)
    for name in ("trace", "diagonal"):
        for offset in (-1, 0, 2):
            ours, numpys = getattr(dt.linalg, name), getattr(np.linalg, name)
            assert np.array_equal(ours(x, offset=offset).compute(), numpys(X, offset=offset))
            assert np.array_equal(numpys(x, offset=offset).compute(), numpys(X, offset=offset))
    assert np.linalg.matrix_transpose(x).shape == (2, 4, 3)


def test_shapes_are_stricter_than_those_of_the_main_namespace():
    with pytest.raises(dt.ShapeError, match="one-dimensional"):
        np.linalg.outer(dt.asarray(X[0]), X[0, 0])
    with pytest.raises(dt.ShapeError, match="3-dimensional vectors"):
        np.linalg.cross(dt.ones(2), np.ones(2))
    with pytest.raises(dt.ShapeError, match="at least 2-dimensional"):
        dt.linalg.matrix_transpose(X[0, 0])


def test_the_rest_is_the_main_namespaces():
    a, b = X[0], X[1]
    for name, args, options in (
        ("matmul", (a, b.T), {}),
        ("tensordot", (a, b), {"axes": 2}),
        ("vecdot", (a, b), {"axis": 0}),
        ("cross", (a.T, b.T), {}),
        ("cross", (a, b), {"axis": 0}),
        ("outer", (a[0], b[0]), {}),
    ):
        made = getattr(np.linalg, name)(dt.asarray(args[0]), args[1], **options)
        np.testing.assert_allclose(made.compute(), getattr(np.linalg, name)(*args, **options))
