import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks.partition_texts import part_program


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.parametrize("kind", "?bQefd")
def test_parts_compile(kind, check_assembly):
    check_assembly(part_program(np.dtype(kind)), 40)


def test_nan_are_a_part_of_their_own():
    assert "np.int64(9221120237041090560)" in part_program(np.dtype("f8")).source
    assert part_program(np.dtype("i8")).source.count("np.int32(") == 3
