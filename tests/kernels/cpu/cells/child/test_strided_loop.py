"""The walk by itself, in Python; over compiled rows it is tested in test_formulas."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.cells.child.strided_loop import copy_box


@pytest.mark.parametrize("kind", ["i1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("lies", ["in order", "strided", "backwards", "same row", "same cell"])
def test_boxes_are_copied_there_and_back(kind, lies):
    rows, n = 5, 7
    whole = np.random.default_rng(0).integers(0, 100, (3 * rows, 3 * n)).astype(kind)
    source = {
        "in order": whole[:rows, :n].copy(),
        "strided": whole[::3, ::3],
        "backwards": whole[rows - 1 :: -1, n - 1 :: -1],
        "same row": np.broadcast_to(whole[0, :n], (rows, n)),
        "same cell": np.broadcast_to(whole[:rows, :1], (rows, n)),
    }[lies]
    target = np.zeros((rows, 2 * n), kind)[:, ::2]
    packed, size = np.zeros((rows, n), kind), whole.itemsize
    copy_box(
        source.ctypes.data, packed.ctypes.data, rows, n, size, (*source.strides, n * size, size)
    )
    assert np.array_equal(packed, source)
    copy_box(
        packed.ctypes.data, target.ctypes.data, rows, n, size, (n * size, size, *target.strides)
    )
    assert np.array_equal(target, source)
    assert not target.base[:, 1::2].any()
