import numpy as np
from numba import njit, types

from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import get_int64, set_int64
from dask_tapestry_kernels.elementary.compiled_functions import called, inlined, keep_apart, room


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


def test_a_called_function_is_compiled_once_when_one_calls_it():
    @called(2, result=types.int64)
    def product(n, m):
        keep_apart()
        return n * m

    assert not product.overloads

    @njit("int64(int64, boolean)")
    def run(n, is_one):
        return product(n, 3) + product(is_one, n)

    assert list(product.overloads) == [(types.int64, types.int64)]
    assert run(5, True) == 20


def test_a_called_function_is_not_inlined_as_its_caller_is():
    """numba takes what a function does not say from the one that calls it."""

    @called(1, result=types.int64)
    def after(n):
        keep_apart()
        return n + 1

    @inlined
    def twice(n):
        return after(after(n))

    @njit("int64(int64)")
    def run(n):
        return twice(n)

    assert run(5) == 7
    (made,) = after.overloads.values()
    assert "alwaysinline" not in made.library.get_llvm_str()
