import numpy as np
import pytest

from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from tests.kernels.cpu.reduction.leaf_cells import folded, same_states

F8 = np.dtype("f8")


@pytest.mark.parametrize("n", [1, 2, 16, 31, 32, 33, 63, 64, 65, 1023, 1024, 4096])
def test_rounds_and_what_is_left_of_them(n):
    cells = np.random.default_rng(n).normal(size=(3, n, 1)) * 1e3
    assert same_states(folded("sum", cells, F8), ARITHMETIC["sum"].leaf(cells.swapaxes(0, 1), F8))


def test_nothing_is_added_to_the_cells():
    cells = np.full((2, 40, 1), -0.0)
    assert np.signbit(folded("sum", cells, F8)).all()
