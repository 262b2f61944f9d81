from typing import Any

import numpy as np
import pytest
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


@njit
def ask(address, length):
    memory_intrinsics.fetch_lines(address, length)
    return 1


def test_lines_that_are_not_there_are_asked_for_in_vain():
    assert ask(0, 1000) == 1
    assert ask(-64, 64) == 1


MULTIPLIED = """
import numpy as np
import pytest
from numba import njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import apart, operands_apart, read_cell

read = operands_apart(16)
{accumulators}


@njit("void(int64, int64, int64, int64)")
def kernel(n, x, y, step):
    for i in range(n):
        {lines}
"""


def test_a_loop_over_memory_that_is_apart_is_one_of_vectors():
    """With more places than LLVM compares before a loop."""

    def multiplied(read):
        lines = list[str]()
        for k in range(16):
            cells = [f"{read}(x + {j} * step, i, np.float64(0))" for j in range(4)]
            product = " * ".join([f"read{k}(y + {k} * step, i, np.float64(0))", *cells])
            lines.append(f"write{k}(y + {k} * step, i, {product})")
        made = [f"read{k}, write{k} = apart({k}, 16)" for k in range(16)]
        told = {"lines": "\n        ".join(lines), "accumulators": "\n".join(made)}
        namespace: dict[str, Any] = {}
        exec(MULTIPLIED.format(**told), namespace)
        cells, found = np.arange(1.0, 129.0).reshape(4, 32), np.ones((16, 32))
        namespace["kernel"](32, cells.ctypes.data, found.ctypes.data, 256)
        assert (found == np.prod(cells, axis=0)).all()
        (code,) = namespace["kernel"].inspect_llvm().values()
        return "vector.body" in code

    assert multiplied("read")
    assert not multiplied("read_cell")


SHORT = """
import numpy as np
from numba import carray, njit
from dask_tapestry_kernels.cpu.jit.child.memory_intrinsics import (
    long_vectors, pointer, short_vectors,
)


@njit("void(int64, int64)")
def kernel(n, address):
    {first}
    cells = carray(pointer(address), (n,), np.float64)
    for i in range(n):
        cells[i] = cells[i] * 3
"""


@pytest.mark.parametrize(
    ("first", "bits"), [("short_vectors()", 256), ("long_vectors()", 512), ("pass", None)]
)
def test_loops_are_told_how_long_vectors_are(first, bits):
    namespace: dict[str, Any] = {}
    exec(SHORT.format(first=first), namespace)
    cells = np.arange(71.0)
    namespace["kernel"](71, cells.ctypes.data)
    assert cells.tolist() == (np.arange(71.0) * 3).tolist()
    (code,) = namespace["kernel"].inspect_llvm().values()
    for one in (256, 512):
        assert (f'"prefer-vector-width"="{one}"' in code) == (one == bits)
    (machine,) = namespace["kernel"].inspect_asm().values()
    assert not (bits == 256 and "zmm" in machine)
