"""A runtime of kernels for GPUs that runs their programs as Python, on no device.

Memory is NumPy's, and what lies outside an array cannot be read or written. Elementary functions
run as Python on NumPy's scalars, with `exact_intrinsics` in place of instructions and
`python_functions` in place of compiled ones; so a process
that simulates is one of its own, in which `begin` came before all else.
"""

import math
import os
import sys

import numpy as np
from numpy.lib.array_utils import byte_bounds

from tests.kernels.cuda.simulated import cupy_functions, exact_intrinsics, python_functions
from tests.kernels.cuda.simulated.thread_blocks import run_blocks

IN_PYTHON = {
    "dask_tapestry_kernels.elementary.number_intrinsics": exact_intrinsics,
    "dask_tapestry_kernels.elementary.compiled_functions": python_functions,
}
ENVIRONMENT = {"SIMULATED_GPU": "1", "NUMBA_DISABLE_JIT": "1"}
HALF = {"SIMULATED_SHARE": "2"}  # one in two of the cases is run


def is_asked_for():
    """Whether this process was started to simulate."""
    return all(os.environ.get(name) == value for name, value in ENVIRONMENT.items())


def begin():
    """Have this process run elementary functions as Python."""
    assert not IN_PYTHON.keys() & sys.modules.keys()
    sys.modules.update(IN_PYTHON)


class Memory:
    """A pointer to the first cell of an array."""

    def __init__(self, array):
        low, high = byte_bounds(array)
        bits = {"?": "u1", "e": "u2"}.get(array.dtype.char, array.dtype)
        count = (high - low) // array.itemsize if array.size else 0
        self._first = (array.ctypes.data - low) // array.itemsize
        buffer = (np.ctypeslib.ctypes.c_byte * (high - low)).from_address(low)
        self._cells = np.frombuffer(buffer, bits, count)
        self._owner = array  # keeps the memory
        self.writeable = array.flags.writeable

    def _place(self, index):
        place = self._first + int(index)
        if not 0 <= place < self._cells.size:
            raise IndexError(f"cell {index} lies outside the array")
        return place

    def __getitem__(self, index):
        return self._cells[self._place(index)]

    def __setitem__(self, index, value):
        assert self.writeable
        self._cells[self._place(index)] = value


class SimulatedRuntime:
    """A GPU of one multiprocessor."""

    processors = 1
    threads = 32
    library = cupy_functions
    errors_of_matrices = staticmethod(cupy_functions.errors_of_matrices)

    def __init__(self):
        self.launches = []

    def empty(self, shape, dtype):
        count = math.prod(shape) * np.dtype(dtype).itemsize
        return np.full(count, 0xA5, np.uint8).view(dtype).reshape(shape)

    def in_order(self, block):
        return np.ascontiguousarray(block)

    def strided(self, block, shape, strides):
        return np.lib.stride_tricks.as_strided(block, shape, strides)

    def to_host(self, block):
        return np.array(block)

    def order_of(self, keys):
        return np.argsort(keys, kind="stable")

    def true_places(self, mask):
        return np.flatnonzero(mask)

    def is_addressed_by_cells(self, block):
        return block.flags.aligned and all(s % block.itemsize == 0 for s in block.strides)

    def launch(self, program, blocks, arguments):
        self.launches.append((program, blocks))
        given = [a if isinstance(a, np.generic) else Memory(a) for a in arguments]
        expected = program.source.split('SIGNATURE = "(')[1].split(',)"')[0].split(", ")
        kinds = [kind_of(a) for a in arguments]
        assert kinds == expected, f"{program.what}: {kinds} for {expected}"
        with np.errstate(all="ignore"):
            run_blocks(program.source, blocks, program.threads or self.threads, given)


def kind_of(argument):
    """The type that a device sees of an argument."""
    name = {"?": "uint8", "e": "uint16"}.get(argument.dtype.char, argument.dtype.name)
    return name if isinstance(argument, np.generic) else f"CPointer({name})"
