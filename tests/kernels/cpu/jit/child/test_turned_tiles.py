import numpy as np
import pytest
from numba import njit, types

from dask_tapestry_kernels.cpu.jit.child.turned_tiles import TILE, turn_tile

KINDS = {"i1": types.int8, "i2": types.int16, "i4": types.int32, "i8": types.int64}


@pytest.mark.parametrize("kind", KINDS)
def test_a_tile_changes_rows_and_columns(kind):
    zero = np.dtype(kind).type(0)

    @njit
    def turned(source, target, apart, to_apart):
        turn_tile(source, target, apart, to_apart, zero)

    cells = np.arange(3 * TILE * TILE).reshape(TILE, 3 * TILE).astype(kind)
    target = np.zeros((2 * TILE, TILE), kind)
    turned(cells.ctypes.data, target.ctypes.data, cells.strides[0], 2 * target.strides[0])
    assert np.array_equal(target[::2], cells[:, :TILE].T)
    assert not target[1::2].any()
