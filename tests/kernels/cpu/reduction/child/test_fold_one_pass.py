import numpy as np
import pytest
from numba import njit

from dask_tapestry_kernels.cpu.reduction.child.fold_adjacent_bricks import BRICKS
from dask_tapestry_kernels.cpu.reduction.child.fold_one_pass import run_length
from dask_tapestry_kernels.cpu.reduction.leaf_tables import FoldWord, table


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({}, BRICKS),
        ({"KEPT": 2}, 1),
        ({"LEAF_STRIDE": 512}, 1),
        ({"ROUND_STRIDE": 256}, 1),
        ({"LEAVES": 5}, 3),
    ],
)
def test_bricks_side_by_side_are_folded_in_runs(words, expected):
    run = run_length(8)

    @njit("int64(int64, int64)")
    def length(leaf, call):
        return run(leaf, call)

    told = dict.fromkeys(FoldWord.__members__, 0)
    told |= {"LEAVES": 100, "LEAF_STRIDE": 256, "ROUND_STRIDE": 4096, "KEPT": 1} | words
    call = table(FoldWord, **told)
    assert length(2, call.ctypes.data) == expected
    assert np.int64 == call.dtype
