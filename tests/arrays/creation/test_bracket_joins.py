import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import agreed, refused

X = np.arange(12.0).reshape(3, 4)
U = np.array([250, 3], "u1")


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.r_[1:4, 0, 4],
        lambda np, a: np.r_[a(X), a(X)],
        lambda np, a: np.r_["-1", a(X), a(X)],
        lambda np, a: np.r_["0,2", a(X)[0], a(X)[1]],
        lambda np, a: np.r_["0,2,0", a(X)[0], a(X)[1]],
        lambda np, a: np.r_["0,3,1", a(X), a(X)],
        lambda np, a: np.r_["2,3,-1", a(X), a(X)],
        lambda np, a: np.r_["0,3,-2", a(X), a(X)],
        lambda np, a: np.r_["1,2,0", 1:3, [4, 5]],
        lambda np, a: np.r_[0:1:5j, a(X)[1], 5:0:-2],
        lambda np, a: np.r_[a(U), 3],
        lambda np, a: np.r_[a(U), 2.5],
        lambda np, a: np.r_[a(X)[0, 0], a(X)[0, 1]],
        lambda np, a: np.c_[a(X)[0], a(X)[1]],
        lambda np, a: np.c_[a(X), a(X)[:, 0], 1:4],
        lambda np, a: np.c_[a([[1, 2, 3]]), 0, 0, a([[4, 5, 6]])],
        lambda np, a: np.ix_([0, 2], a([True, False, True]))[1],
        lambda np, a: np.ix_([], [1])[0],
        lambda np, a: a(X)[np.ix_(a(X)[:, 0] > 3, [1, 3])],
    ],
)
def test_joins_as_numpy(call):
    agreed(call)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.r_["q", a(X)],
        lambda np, a: np.r_[a(X), "1"],
        lambda np, a: np.r_[a(X), 1],
        lambda np, a: np.r_[a(U), 300],
        lambda np, a: np.r_[()],
        lambda np, a: np.c_[a(X)[0], a(X)[:, 0]],
        lambda np, a: np.ix_([[1]]),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


def test_there_are_no_matrices():
    with pytest.raises(ValueError, match=r"'r' makes a numpy.matrix, which there is none of here"):
        dt.r_["r", [1, 2]]


def test_functions_of_numpy_are_these():
    rows, columns = np.ix_(dt.asarray([True, False, True]), [1])
    assert isinstance(rows, dt.Array)
    assert rows.compute().tolist() == [[0], [2]]
    assert columns.shape == (1, 1)
