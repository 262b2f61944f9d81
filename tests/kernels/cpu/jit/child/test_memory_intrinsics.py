import numpy as np
from numba import njit

from dask_tapestry_kernels.cpu.jit.child import memory_intrinsics


@njit
def swap(at, to):
    cell = memory_intrinsics.read_cell(at, 0, np.int16(0))
    memory_intrinsics.write_cell(at, 0, memory_intrinsics.read_cell(to, 0, np.int16(0)))
    memory_intrinsics.write_cell(to, 0, cell)


def test_cells_are_read_and_written_at_addresses():
    cells = np.array([1, 2, 3], "i2")
    swap(cells.ctypes.data, cells.ctypes.data + 4)
    assert cells.tolist() == [3, 2, 1]
