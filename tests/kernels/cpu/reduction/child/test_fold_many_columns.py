import numpy as np
import pytest

from dask_tapestry_kernels.cpu.reduction.child.fold_many_columns import MERGED, SHORT
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from tests.kernels.cpu.reduction.leaf_cells import folded, same_states, state_of

KEPT = [2, 3, 31, 32, 33, MERGED - 1, MERGED, MERGED + 1, 511, 512, 513, 1100]


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("monoid", ["sum", "var", "argmin"])
def test_strips_and_what_is_left_of_them(monoid, kept):
    state = state_of(monoid, "f8")
    for n in (4, 5, SHORT, SHORT + 1, 32, 70, 300):
        cells = np.random.default_rng(n).normal(size=(2, n, kept))
        cells[:, 3] = cells[:, 0]
        assert same_states(
            folded(monoid, cells, state), ARITHMETIC[monoid].leaf(cells.swapaxes(0, 1), state)
        )


@pytest.mark.parametrize("monoid", ["sum", "var", "argmin"])
def test_more_columns_than_a_strip_has(monoid):
    state = state_of(monoid, "f8")
    for n, kept in ((9, 4097), (300, 4131)):
        cells = np.random.default_rng(n).normal(size=(1, n, kept))
        assert same_states(
            folded(monoid, cells, state), ARITHMETIC[monoid].leaf(cells.swapaxes(0, 1), state)
        )
