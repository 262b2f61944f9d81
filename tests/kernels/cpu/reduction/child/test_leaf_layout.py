import numpy as np
import pytest
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.leaf_layout import (
    COLUMNS,
    SINGLE,
    cell_stride,
    round_stride,
    runs_along_columns,
    way_in_place,
)


@njit
def layout(box, strides, ndim, reduced, item, n):
    stride = cell_stride(box, strides, reduced, item)
    found = way_in_place(box, strides, ndim, reduced, item, n, stride)
    return found, stride, round_stride(box, strides, reduced, item)


@pytest.mark.few(6)  # as unlike as so many can be
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
        (np.zeros((5, 9, 8)), 1, (0, 9 * 64, 32 * 9 * 64)),
        (np.zeros((9, 5, 8)).swapaxes(0, 1), 1, (0, 64, 32 * 64)),
        (np.zeros((9, 50, 8)).swapaxes(0, 1), 1, (COLUMNS, 64, 32 * 64)),
        (np.zeros((9, 5, 32)).swapaxes(0, 1), 1, (COLUMNS, 256, 32 * 256)),
    ],
)
def test_ways_to_fold_a_leaf_in_place(cells, reduced, expected):
    box, strides = np.array(cells.shape), np.array(cells.strides)
    n = int(np.prod(cells.shape[:reduced]))
    at = box.ctypes.data, strides.ctypes.data
    assert layout(*at, cells.ndim, reduced, cells.itemsize, n) == expected


@njit
def along(operands, kept):
    return runs_along_columns(operands, 1, 4, 1, 1, kept)


@pytest.mark.parametrize(("kept", "expected"), [(3, 0), (7, 0), (8, 1), (100, 1)])
def test_rows_of_few_columns_are_evaluated_together(kept, expected):
    operand = np.array([0, 8, kept * 8, 8])
    assert along(operand.ctypes.data, kept) == expected
