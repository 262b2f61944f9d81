from itertools import permutations, product

import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import leaf_states as states
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.reduce import _leaf_states
from tests.kernels.cpu.reduction.formula_columns import formula, native
from tests.kernels.cpu.reduction.leaf_cells import same_states, state_of

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


def layouts(shape):
    """Ways in which an operand lies: in each order of its axes, repeated along some, backwards."""
    random = np.random.default_rng(4)
    for order in permutations(range(len(shape))):
        for repeated in product([False, True], repeat=len(shape)):
            sides = [1 if again else n for n, again in zip(shape, repeated, strict=True)]
            cells = random.normal(size=[sides[axis] for axis in order]).transpose(np.argsort(order))
            yield np.broadcast_to(cells, shape)
    yield random.normal(size=shape)[::-1]
    yield random.normal(size=[2 * n for n in shape])[tuple(slice(None, None, 2) for _ in shape)]


@pytest.mark.parametrize("monoid", ["sum", "var"])
@pytest.mark.parametrize(("shape", "rank"), [((330, 6), 1), ((70, 5, 40), 1), ((9, 40, 7), 2)])
def test_operands_of_formulas_lie_in_any_way(shape, rank, monoid):
    """What the first one tells of the order in which cells are packed may not hold for all."""
    expression = formula("add", 0, 1, dtypes=("f8", "f8"))
    one, state = native(expression), state_of(monoid, "f8")
    sides = Tree(shape[:rank]).sides(0)
    others = list(layouts(shape))
    for first, second in product(others, others[:: max(1, len(others) // 7)]):
        cells = [first, second]
        with compile_service.mode("wait"):
            ours = states.leaf_states(cells, monoid, F8, sides, state, one)
        expected = _leaf_states(first + second, ARITHMETIC[monoid], sides, state)
        assert same_states(ours, expected), [block.strides for block in cells]
