import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.leaf_states import leaf_states
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.reduce import _leaf_states
from tests.kernels.cpu.reduction.leaf_cells import same_states, state_of


@pytest.mark.parametrize("monoid", ["mean", "var", "nanmean"])
@pytest.mark.parametrize(("shape", "rank"), [((70, 3000), 2), ((3000, 3), 1), ((40, 64, 7), 2)])
def test_states_of_runs_of_leaves_go_to_their_places(monoid, shape, rank):
    """States have several parts, and leaves of a run other leaves between them."""
    cells = np.random.default_rng(4).normal(size=shape[::-1]).T
    state, sides = state_of(monoid, "f8"), Tree(shape[:rank]).sides(0)
    with compile_service.mode("wait"):
        ours = leaf_states([cells], monoid, cells.dtype, sides, state)
    assert same_states(ours, _leaf_states(cells, ARITHMETIC[monoid], sides, state))
