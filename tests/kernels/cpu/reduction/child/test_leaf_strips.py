import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.leaf_states import leaf_states
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.reduce import _leaf_states
from tests.kernels.cpu.reduction.formula_columns import formula, native
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


@pytest.mark.parametrize("monoid", ["sum", "var", "argmax"])
@pytest.mark.parametrize(
    "shape", [(70, 90, 3), (64, 96, 2, 5), (40, 3000, 1), (100, 56, 3), (90, 70, 61), (33, 40, 700)]
)
def test_operands_that_are_the_same_in_all_leaves_stay_packed(monoid, shape):
    """Deviations of channels from one number each; leaves at the edges have fewer cells."""
    random = np.random.default_rng(5)
    cells, means = random.normal(size=shape), random.normal(size=shape[2:])
    sides, state = Tree(shape[:2]).sides(0), state_of(monoid, "f8")
    for one in (means, means.T.copy().T, means[:1]):
        blocks = [cells, np.broadcast_to(one, shape)]
        with compile_service.mode("wait"):
            made = native(formula("subtract", 0, 1, dtypes=("f8", "f8")))
            ours = leaf_states(blocks, monoid, cells.dtype, sides, state, made)
        expected = _leaf_states(cells - one, ARITHMETIC[monoid], sides, state)
        assert same_states(ours, expected)
