import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks.copy_texts import PITCH, SIDE, copy_program


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("kind", "BQD")
@pytest.mark.parametrize("others", [0, 2])
def test_copies_compile_with_few_registers(kind, others, check_assembly):
    word = np.dtype(kind)
    check_assembly(copy_program(word, others, 256), 64, shared=SIDE * PITCH * word.itemsize)


def test_a_block_of_threads_reads_a_tile_in_turns():
    assert "for r in range(4):" in copy_program(np.dtype("Q"), 0, 512).source
    assert "for r in range(32):" in copy_program(np.dtype("Q"), 0, 32).source
