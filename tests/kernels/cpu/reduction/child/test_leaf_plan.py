import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import leaf_states as states
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.reduce import _leaf_states
from tests.kernels.cpu.reduction.leaf_cells import same_states

F8 = np.dtype("f8")


@pytest.mark.parametrize("scratch", [1, 2**14, 2**22])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2)])
def test_strips_have_the_same_states_however_they_are_cut(order, scratch, monkeypatch):
    monkeypatch.setattr(states, "SCRATCH", scratch)
    cells = np.random.default_rng(1).normal(size=(20, 30, 9, 5)).transpose(order)[::-1]
    sides = Tree(cells.shape[:2]).sides(0)
    with compile_service.mode("wait"):
        ours = states.leaf_states([cells], "sum", F8, sides, F8)
    assert same_states(ours, _leaf_states(cells, ARITHMETIC["sum"], sides, F8))
