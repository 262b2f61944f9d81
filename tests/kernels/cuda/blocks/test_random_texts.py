import numpy as np
import pytest

from dask_tapestry_kernels.cuda.blocks.random_texts import random_program
from dask_tapestry_kernels.formulas.philox_rounds import Fraction


@pytest.mark.few(3)  # each number of dimensions
@pytest.mark.covering
@pytest.mark.parametrize("fraction", [None, Fraction(11, 0.5, np.dtype("f8"))])
@pytest.mark.parametrize("axes", [0, 2])
@pytest.mark.parametrize("wide", [False, True])
def test_random_numbers_compile_without_contraction(fraction, axes, wide, check_assembly):
    check_assembly(random_program(fraction, axes, wide), 64)


def test_a_thread_makes_the_four_cells_of_a_counter():
    assert random_program(None, 1, False).source.count("out[run + at] = bits") == 4
