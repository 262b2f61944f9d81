import numpy as np
import pytest

from tests.compiling import kept_kernel

HEAD = """\
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64 as get
from dask_tapestry_kernels.cpu.jit.child.strided_copy import copy_box, copy_plane
from numba import njit


@njit("void(int64, int64, int64)", nogil=True, error_model="numpy")
def kernel(source, target, table):
"""
PLANE = """\
    steps = get(table, 3), get(table, 4), get(table, 5), get(table, 6)
    copy_plane(source, target, get(table, 0), get(table, 1), get(table, 2), steps)
"""
BOX = "    copy_box(source, target, table + 16, get(table, 0), get(table, 1))\n"


def copy_rows(source, target, rows, n, size, steps):
    table = np.array([rows, n, size, *steps], np.int64)
    kept_kernel(HEAD + PLANE)(source, target, table.ctypes.data)


@pytest.mark.few(7)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("kind", ["i1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize(("rows", "n"), [(5, 7), (20, 3), (4, 40), (8, 8), (19, 29)])
@pytest.mark.parametrize(
    "lies",
    [
        "in order",
        "strided",
        "every other",
        "backwards",
        "same row",
        "same cell",
        "turned",
        "turned apart",
    ],
)
def test_planes_are_copied_there_and_back(kind, rows, n, lies):
    whole = np.random.default_rng(0).integers(0, 100, (3 * rows, 3 * n)).astype(kind)
    source = {
        "in order": whole[:rows, :n].copy(),
        "strided": whole[::3, ::3],
        "every other": whole[::3, 1 : 2 * n : 2],
        "backwards": whole[rows - 1 :: -1, n - 1 :: -1],
        "turned": whole.reshape(3 * n, 3 * rows)[:n, :rows].T,
        "turned apart": whole.reshape(3 * n, 3 * rows)[::3, :rows].T,
        "same row": np.broadcast_to(whole[0, :n], (rows, n)),
        "same cell": np.broadcast_to(whole[:rows, :1], (rows, n)),
    }[lies]
    target = np.zeros((rows, 2 * n), kind)[:, ::2]
    packed, size = np.zeros((rows, n), kind), whole.itemsize
    copy_rows(
        source.ctypes.data, packed.ctypes.data, rows, n, size, (*source.strides, n * size, size)
    )
    assert np.array_equal(packed, source)
    copy_rows(
        packed.ctypes.data, target.ctypes.data, rows, n, size, (n * size, size, *target.strides)
    )
    assert np.array_equal(target, source)
    assert not target.base[:, 1::2].any()


@pytest.mark.parametrize("kind", ["i1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("few", [2, 3, 4, 5])
def test_a_few_interleaved_rows_are_copied_there_and_back(kind, few):
    cells = np.random.default_rng(0).integers(0, 100, (203, few)).astype(kind)
    apart, back, size = np.zeros((few, 203), kind), np.zeros((203, few), kind), cells.itemsize
    copy_rows(
        cells.ctypes.data, apart.ctypes.data, few, 203, size,
        (*cells.strides[::-1], *apart.strides),
    )  # fmt: skip
    assert np.array_equal(apart, cells.T)
    copy_rows(
        apart.ctypes.data, back.ctypes.data, 203, few, size, (*apart.strides[::-1], *back.strides)
    )
    assert np.array_equal(back, cells)


@pytest.mark.few(3)  # one text serves all dtypes
@pytest.mark.parametrize("dtype", ["i1", "f2", "f4", "f8", "c16"])
def test_a_box_of_any_strides_is_copied_in_c_order(dtype):
    cells = np.arange(6 * 7 * 10).reshape(6, 7, 10).astype(dtype)
    for box in (
        cells,
        cells.T,
        cells.swapaxes(1, 2),
        cells.transpose(2, 0, 1),
        cells[:, ::2, :8],
        cells[::-2, :, 3:],
        cells[:, :1, ::-1].swapaxes(0, 2),
        cells[0, 0, 0, ...],
    ):
        dims = [n for pair in zip(box.shape[::-1], box.strides[::-1], strict=True) for n in pair]
        told, target = [box.ndim, box.itemsize, *dims], np.zeros(box.shape, dtype)
        table = np.array(told, np.int64)
        kept_kernel(HEAD + BOX)(box.ctypes.data, target.ctypes.data, table.ctypes.data)
        assert (target == box).all()
