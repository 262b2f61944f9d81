import numpy as np
import pytest
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.box_copy import copy_box


@njit("void(int64, int64, int64, int64, int64)")
def copy(target, source, dims, count, item):
    copy_box(target, source, dims, count, item)


@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c16"])
def test_a_box_of_any_strides_is_copied_in_c_order(dtype):
    cells = np.arange(6 * 7 * 10).reshape(6, 7, 10).astype(dtype)
    for box in (
        cells,
        cells.T,
        cells[::-2, :, 3:],
        cells[:, :1, ::-1].swapaxes(0, 2),
        cells[0, 0, 0, ...],
    ):
        dims = [n for pair in zip(box.shape[::-1], box.strides[::-1], strict=True) for n in pair]
        table, target = np.array([*dims, 0], np.int64), np.zeros(box.shape, dtype)
        copy(target.ctypes.data, box.ctypes.data, table.ctypes.data, box.ndim, box.itemsize)
        assert (target == box).all()
