import numpy as np
import pytest
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.leaf_layout import (
    COLUMNS,
    SINGLE,
    cell_stride,
    round_stride,
    way_in_place,
)


@njit
def layout(box, strides, ndim, reduced, item, n):
    stride = cell_stride(box, strides, reduced, item)
    found = way_in_place(box, strides, ndim, reduced, item, n, stride)
    return found, stride, round_stride(box, strides, reduced, item)


@pytest.mark.parametrize(
    ("cells", "reduced", "expected"),
    [
        (np.zeros((1000,)), 1, (SINGLE, 8, 256)),
        (np.zeros((100, 32)), 2, (SINGLE, 8, 256)),
        (np.zeros((100, 40))[:, :32], 2, (SINGLE, 8, 320)),
        (np.zeros((100, 33))[:, :31], 2, (0, 0, 264)),
        (np.zeros((100, 50)), 1, (COLUMNS, 400, 32 * 400)),
        (np.zeros((50, 100)).T, 1, (SINGLE, 8, 256)),
        (np.zeros((50, 30)).T, 1, (0, 8, 256)),
        (np.zeros((100, 50))[:, ::2], 1, (0, 400, 32 * 400)),
    ],
)
def test_ways_to_fold_a_leaf_in_place(cells, reduced, expected):
    box, strides = np.array(cells.shape), np.array(cells.strides)
    n = int(np.prod(cells.shape[:reduced]))
    at = box.ctypes.data, strides.ctypes.data
    assert layout(*at, cells.ndim, reduced, cells.itemsize, n) == expected
