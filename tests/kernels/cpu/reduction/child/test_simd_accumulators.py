import numpy as np
import pytest
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.monoid_ir import passes
from dask_tapestry_kernels.cpu.reduction.child.simd_accumulators import (
    LANES,
    LaneOps,
    SimdLanes,
    first_lane,
)

F8 = np.dtype("f8")


def test_types_of_lanes_are_equal_by_their_fields():
    near = passes("sum", F8, F8)[0].near
    assert SimdLanes(near, 32) == SimdLanes(near, 32) != SimdLanes(near, 1)


@pytest.mark.parametrize("count", [1, 5, 16, 17, 32])
def test_lanes_that_hold_something_are_folded_by_halves(count):
    only = LaneOps(passes("sum", F8, F8)[0], LANES)
    read, tell, halve, settle = only.read_some(), only.context(True), only.halve(), only.settle()
    write = LaneOps(passes("sum", F8, F8)[0], 1).write()

    @njit("void(int64, int64, int64)")
    def total(cells, count, parts):
        write(halve(settle(read(cells, count, tell(0, 0), 0)), count), count, parts, 0, 1)

    cells, out = 1.5 ** np.arange(count), np.zeros(1)
    parts = np.array([out.ctypes.data], np.int64)
    total(cells.ctypes.data, count, parts.ctypes.data)
    lanes = list(cells)
    for width in (16, 8, 4, 2, 1):
        for i, high in enumerate(lanes[width : 2 * width]):
            lanes[i] += high
        lanes = lanes[:width]
    assert out[0] == lanes[0]


def test_the_first_lane_of_some():
    @njit("int64(int64)")
    def run(bits):
        return first_lane(bits)

    assert run(0b101000) == 3
