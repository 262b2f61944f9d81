import numpy as np
from numba import njit

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64, set_int64
from dask_tapestry_kernels.elementary.compiled_functions import called, keep_apart, room


def test_room_is_memory_of_the_function_that_asks_for_it():
    place = room(64)

    @called(2)
    def doubled(n, out):
        keep_apart()
        held = place()
        set_int64(held, 3, 2 * n)
        set_int64(out, 0, get_int64(held, 3))

    @njit("void(int64, int64)")
    def run(n, out):
        doubled(n, out)

    out = np.zeros(1, np.int64)
    run(21, out.ctypes.data)
    assert out[0] == 42
