import pytest
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.fold_adjacent_bricks import BRICKS
from dask_tapestry_kernels.cpu.reduction.child.fold_one_pass import run_length
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import call_at
from dask_tapestry_kernels.cpu.reduction.leaf_tables import CALL, record


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({}, BRICKS),
        ({"kept": 2}, 1),
        ({"leaf_stride": 512}, 1),
        ({"round_stride": 256}, 1),
        ({"leaves": 5}, 3),
        ({"leaves": BRICKS}, BRICKS - 2),
    ],
)
def test_bricks_side_by_side_are_folded_in_runs(words, expected):
    run = run_length(8)

    @njit("int64(int64, int64)")
    def length(leaf, call):
        return run(leaf, call_at(call))

    told = dict.fromkeys(CALL.names, 0)
    told |= {"leaves": 2 * BRICKS, "leaf_stride": 256, "round_stride": 4096, "kept": 1} | words
    call = record(CALL, **told)
    assert length(2, call.ctypes.data) == expected
