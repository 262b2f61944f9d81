import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit.child.interleaved_cells import MOST_ROWS


@pytest.fixture(scope="module")
def kernel():
    """Compiled as it is imported, which takes seconds: not by those who only collect the tests."""
    from dask_tapestry_kernels.cpu.blocks.child.interleaved_blocks import kernel

    return kernel


@pytest.mark.few(3)  # each count and dtype
@pytest.mark.parametrize("kind", ["u1", "f4", "f8"])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_cells_of_blocks_take_turns_up_to_the_last(kernel, kind, count):
    blocks = np.arange(count * 101).reshape(count, 101).astype(kind)
    target = np.zeros((101, count), kind)
    table = np.array([block.ctypes.data for block in blocks] + [0] * (MOST_ROWS - count), np.int64)
    kernel(table.ctypes.data, count, 101, blocks.itemsize, target.ctypes.data)
    assert np.array_equal(target, blocks.T)
