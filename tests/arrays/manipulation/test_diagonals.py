import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed, refused


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.diagonal(a([1])),
        lambda np, a: np.diagonal(a([[1]]), 0, 0, 0),
        lambda np, a: np.diagonal(a([[1]]), 0, 0, 2),
        lambda np, a: np.diagonal(a([[1]]), 0.5),
        lambda np, a: np.diag(a([[[1]]])),
        lambda np, a: np.diag(a(1)),
        lambda np, a: np.tril(a(1)),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


def test_a_large_diagonal_takes_no_memory():
    x = dt.eye(10**9)
    assert dt.diagonal(x)[-3:].compute().tolist() == [1, 1, 1]
    assert dt.diag(dt.arange(10**9))[5, 4:7].compute().tolist() == [0, 5, 0]
    assert dt.tril(dt.ones((10**9, 10**9)))[7, 6:9].compute().tolist() == [1, 1, 0]


def test_a_diagonal_keeps_names():
    x = dt.asarray(np.ones((2, 3, 4)), dims=("a", "b", "c"))
    assert dt.diagonal(x, 0, 0, 2).dims == ("b", None)


def test_numpys_functions_are_ours():
    x = dt.ones((2, 2))
    for made in (np.diag(x), np.tril(x), np.triu(x), np.diagonal(x), x.diagonal()):
        assert isinstance(made, dt.Array)


@pytest.mark.parametrize("dtype", ["S1", "U1", "U3"])
def test_triangles_of_texts(dtype):
    cells = np.array([["a", "b"], ["c", "d"]], dtype)
    agreed(lambda np, a: np.triu(a(cells)))
    agreed(lambda np, a: np.tril(a(cells)))
    agreed(lambda np, a: np.diag(a(cells[0])))
