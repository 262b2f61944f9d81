import numpy as np
import pytest
from numba import njit

from dask_tapestry_kernels.cpu.jit.child.interleaved_cells import (
    BYTES,
    MOST_ROWS,
    join_cells,
    split_cells,
)

VECTORS = 3


@njit
def split(source, rows, vectors, size, a, b, c, d):
    split_cells(source, (a, b, c, d), rows, vectors, size)


@njit
def join(target, rows, vectors, size, a, b, c, d):
    join_cells((a, b, c, d), target, rows, vectors, size)


@pytest.mark.few(5)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("kind", ["u1", "i2", "f4", "f8"])
@pytest.mark.parametrize("rows", range(2, MOST_ROWS + 1))
def test_cells_are_taken_apart_and_put_together(kind, rows):
    size = np.dtype(kind).itemsize
    n = VECTORS * BYTES // size
    cells = np.random.default_rng(0).integers(0, 100, (n, rows)).astype(kind)
    apart, together = [np.zeros(n, kind) for _ in range(MOST_ROWS)], np.zeros((n, rows), kind)
    places = [row.ctypes.data for row in apart]
    split(cells.ctypes.data, rows, VECTORS, size, *places)
    assert np.array_equal(apart[:rows], cells.T)
    assert not np.any(apart[rows:])
    join(together.ctypes.data, rows, VECTORS, size, *places)
    assert np.array_equal(together, cells)
