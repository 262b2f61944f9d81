import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks.interp_texts import interp_program


@pytest.mark.covering(together=1)
@pytest.mark.parametrize("kind", "dD")
@pytest.mark.parametrize("periodic", [False, True])
def test_interpolation_compiles_without_contraction(kind, periodic, check_assembly):
    check_assembly(interp_program(np.dtype(kind), (True, False), periodic, 2), 56)


def test_both_parts_of_complex_values_are_divided_once():
    text = interp_program(np.dtype("D"), (False, False), False, 1).source
    assert text.count("/ width") == 1
    assert interp_program(np.dtype("d"), (False, False), False, 1).source.count("/ width") == 1
