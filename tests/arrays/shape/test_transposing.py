import numpy as np
import pytest

import dask_tapestry as dt
from tests.arrays.parity import refused

CELLS = np.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "call",
    [
        lambda np, a: np.rollaxis(a(CELLS), 3),
        lambda np, a: np.rollaxis(a(CELLS), 0, 4),
        lambda np, a: np.matrix_transpose(a([1])),
        lambda np, a: np.moveaxis(a(CELLS), 0, 3),
        lambda np, a: np.moveaxis(a(CELLS), (0, 0), (1, 2)),
        lambda np, a: np.moveaxis(a(CELLS), (0, 1), 1),
        lambda np, a: np.swapaxes(a(CELLS), 0, 3),
        lambda np, a: np.transpose(a(CELLS), (0, 1)),
    ],
)
def test_what_numpy_refuses(call):
    refused(call)


def test_start_of_rollaxis_is_any_place():
    for axis in range(-3, 3):
        for start in range(-3, 4):
            expected = np.rollaxis(CELLS, axis, start).shape
            assert dt.rollaxis(CELLS, axis, start).shape == expected


def test_the_matrix_transpose():
    assert dt.asarray(CELLS).mT.shape == (2, 4, 3)
