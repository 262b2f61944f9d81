import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import refused


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.indices((2, -1)),
        lambda np, a: np.meshgrid(a([1]), indexing="yx"),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


def test_index_tensors_take_no_memory():
    x = dt.ones((10**6, 10**7, 5))
    part = dt.index_tensor(x)[:, 10**5, -2:, ::4]
    assert part.compute().tolist() == [
        [[10**5, 10**5]] * 2,
        [[10**7 - 2] * 2, [10**7 - 1] * 2],
        [[0, 4]] * 2,
    ]


def test_the_box_of_a_cat():
    picture = np.zeros((40, 50), bool)
    picture[12:20, 7] = picture[15, 3:31] = True
    lo, hi = dt.bounding_box(dt.asarray(picture).rechunk(9))
    assert (lo.dtype, hi.dtype) == (np.int64, np.int64)
    assert lo.compute().tolist() == [12, 3]
    assert hi.compute().tolist() == [19, 30]
    lo, hi = dt.bounding_box(dt.asarray(picture)[:12])
    assert lo.compute().tolist() == hi.compute().tolist() == [-1, -1]


def test_the_only_true_cell_is_the_first():
    mask = np.zeros((3, 3))
    mask[0, 0] = 1
    assert [x.compute().tolist() for x in dt.bounding_box(mask)] == [[0, 0], [0, 0]]


def test_a_function_is_called_once():
    calls = []

    def function(i, j, scale):
        calls.append((i, j))
        return i * scale

    made = dt.fromfunction(function, (2, 3), scale=4)
    assert made.compute().tolist() == [[0, 0, 0], [4, 4, 4]]
    assert len(calls) == 1
    assert dt.fromfunction(lambda i: 7, (3,)).compute().tolist() == [7, 7, 7]
