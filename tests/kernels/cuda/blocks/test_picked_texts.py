import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks.picked_texts import picking_program

INTP, WORD = np.dtype(np.intp), np.dtype(np.uint64)


@pytest.mark.covering(together=1)
@pytest.mark.parametrize("rank", [1, 3])
@pytest.mark.parametrize("strict", [False, True])
def test_picks_compile_with_few_registers(rank, strict, check_assembly):
    check_assembly(picking_program(WORD, (INTP,), rank, False, strict), 40)
    check_assembly(picking_program(np.dtype("u1"), (INTP, INTP), rank, True, strict), 64)


def test_complex_cells_are_moved_as_they_are(check_assembly):
    check_assembly(picking_program(np.dtype("D"), (INTP,), 2, False, False), 40)


def test_only_strict_numbers_are_looked_at():
    assert "found[0]" in picking_program(WORD, (INTP,), 1, False, True).source
    assert "found" not in picking_program(WORD, (INTP,), 1, False, False).source
