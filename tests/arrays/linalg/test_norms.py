import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.teg.node import topological
from tests.arrays.folding import check

X = np.random.default_rng(0).normal(size=(3, 4, 5))
ORDERS = [None, "fro", "f", 0, 1, -1, 2, 3, -3, 0.5, np.inf, -np.inf]


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1), (2, 0), (1, 1), (0, 1, 2), 3])
@pytest.mark.parametrize("ord", ORDERS, ids=str)
def test_norm_is_numpys(ord, axis):
    for x in (X, X[0], X[0, 0], X[0] + 1j * X[1], (9 * X[0]).astype("i4"), X[0].astype("f4")):
        if ord == 2 and ((axis is None and x.ndim == 2) or (np.size(axis) == 2 and x.ndim > 1)):
            continue  # singular values
        for keepdims in (False, True):
            options = {"ord": ord, "axis": axis, "keepdims": keepdims}
            check(
                lambda x=x, o=options: dt.linalg.norm(x, **o),
                lambda x=x, o=options: np.linalg.norm(x, **o),
                1e-5,
            )


def test_all_cells_are_folded_where_they_lie():
    """In order F a row of them all would be a copy, in an order that a sum has no need of."""
    folded = dt.linalg.norm(dt.asarray(np.asfortranarray(X)))
    assert {node.type.ndim for node in topological([folded.node])} == {X.ndim, 0}


@pytest.mark.parametrize("ord", [2, -2, "nuc"])
def test_norms_of_singular_values_are_numpys(ord):
    for axis in ((0, 1), (2, 0), (-1, -2)):
        for keepdims in (False, True):
            found = dt.linalg.norm(X, ord, axis, keepdims).compute()
            np.testing.assert_allclose(found, np.linalg.norm(X, ord, axis, keepdims))
    found = dt.linalg.matrix_norm(X, ord=ord).compute()
    np.testing.assert_allclose(found, np.linalg.matrix_norm(X, ord=ord))


@pytest.mark.parametrize("axis", [None, 1, (0, 2), (2, 1, 0)])
def test_vector_norm_takes_axes_together(axis):
    for ord in (0, 1, 2, 3, np.inf):
        options = {"axis": axis, "ord": ord, "keepdims": True}
        check(
            lambda o=options: dt.linalg.vector_norm(X, **o),
            lambda o=options: np.linalg.vector_norm(X, **o),
        )


def test_numpys_functions_come_to_ours():
    assert isinstance(np.linalg.norm(dt.asarray(X)), dt.Array)
    check(lambda: np.linalg.matrix_norm(dt.asarray(X)), lambda: np.linalg.matrix_norm(X))


def test_what_has_no_norm():
    with pytest.raises(TypeError):
        dt.linalg.norm(np.array(["a"]))


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3), (2, 0, 3), (2, 3, 0), (2, 0, 0)])
@pytest.mark.parametrize("order", [np.inf, 2, 1, "nuc", "fro"])
def test_the_norm_of_nothing_is_zero(shape, order):
    x = np.zeros(shape)
    calls = [lambda xp, x: xp.linalg.matrix_norm(x, ord=order, keepdims=True)]
    if not isinstance(order, str):
        calls.append(lambda xp, x: xp.linalg.vector_norm(x, ord=order))
        calls.append(lambda xp, x: xp.linalg.norm(x, order, axis=-1))
    for call in calls:
        found, expected = call(dt, dt.asarray(x)), call(np, x)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(found.compute(), expected)
