import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks.generate import range_program


@pytest.mark.parametrize("kind", "Bled")
def test_ranges_compile_without_contraction(kind, check_assembly):
    check_assembly(range_program(np.dtype(kind)), 40)


@pytest.mark.parametrize("kind", ["?", "D", "M8[s]"])
def test_other_dtypes_have_no_ranges(kind):
    assert range_program(np.dtype(kind)) is None
