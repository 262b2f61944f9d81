import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.joins.diagonal import (
    diagonal,
    is_below_diagonal,
    on_diagonal,
    with_zeros,
)

X = np.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize("axes", [(0, 1), (1, 2), (2, 0), (-1, 0)])
@pytest.mark.parametrize("offset", [-5, -1, 0, 2])
def test_diagonal(axes, offset):
    made = dt.Array(diagonal(dt.asarray(X).node, offset, *axes)).compute()
    np.testing.assert_array_equal(made, np.diagonal(X, offset, *axes))


def test_a_diagonal_reads_the_squares_it_meets():
    x = dt.asarray(np.ones((1000, 1000)))
    plan = (dt.Array(diagonal((x + 1).node)) * 2)[100:110].plan()
    assert "float64[10, 10]" in str(plan.teg)


def test_of_a_diagonal_of_a_diagonal():
    x = np.arange(3**4).reshape(3, 3, 3, 3)
    made = dt.diagonal(dt.diagonal(dt.diagonal(dt.asarray(x), 0, 0, 1), 0, 0, 1), 0, 0, 1)
    expected = np.diagonal(np.diagonal(np.diagonal(x)))
    np.testing.assert_array_equal(made[::-1].compute(), expected[::-1])
    assert str(made.plan().teg).count("view") == 1


def test_masks():
    np.testing.assert_array_equal(
        dt.Array(is_below_diagonal((3, 4), 1)).compute(), np.tri(3, 4, 1, bool)
    )
    np.testing.assert_array_equal(dt.Array(on_diagonal((3, 4), 1)).compute(), np.eye(3, 4, 1) > 0)
    x = dt.ones((3, 4), "f2")
    assert with_zeros(is_below_diagonal((3, 4), 0), x.node).type == x.node.type


@pytest.mark.parametrize("shape", [(3, 5), (4, 2), (0, 3), (2, 0)])
def test_masks_of_diagonals_beyond_the_corners(shape):
    rows, columns = shape
    for offset in (*range(-rows - 1, columns + 2), 2**63 - 1, -(2**63), 2**70, -(2**70)):
        near = max(-9, min(offset, 9))
        whole, one = (
            dt.Array(is_below_diagonal(shape, offset)),
            dt.Array(on_diagonal(shape, offset)),
        )
        np.testing.assert_array_equal(whole.compute(), np.tri(*shape, near, bool))
        np.testing.assert_array_equal(one.compute(), np.eye(*shape, near, bool))
    assert np.array_equal(dt.triu(dt.ones(shape), 2**63).compute(), np.zeros(shape))


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("offset", [0, 700, -1500])
def test_a_long_diagonal_reads_squares_along_it(offset):
    x = np.arange(3000 * 3100).reshape(3000, 3100)
    made = dt.diagonal(dt.asarray(x).rechunk(1000), offset)
    assert np.array_equal(made.compute(), np.diagonal(x, offset))
    stored = dt.placeholder((100_000, 100_000), "f8", stored_chunks=(1000, 1000))
    plan = dt.trace(stored, offset).plan()
    assert plan.cost["bytes_read"] < 0.2 * stored.nbytes
