from itertools import permutations

import numpy as np
import pytest
from numba import njit

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.child.leaf_records import (
    block_at,
    call_room,
    plan_at,
    plan_room,
)
from dask_tapestry_kernels.cpu.reduction.child.leaf_runs import (
    axis_of_runs,
    packed_at_once,
)
from dask_tapestry_kernels.cpu.reduction.leaf_states import leaf_states
from dask_tapestry_kernels.cpu.reduction.leaf_tables import BLOCK, record
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.reduce import _leaf_states
from tests.kernels.cpu.reduction.formula_columns import formula, native
from tests.kernels.cpu.reduction.leaf_cells import cells_of, same_states, state_of

SHAPES = [(70, 150), (20, 30, 50), (3, 4000), (2, 3, 700), (9, 9, 9, 9), (40, 5000), (500, 90)]


@njit
def at_once(address, box):
    call_room()
    block, plan = block_at(address), plan_at(plan_room())
    plan.box, plan.n, plan.run = box, 1024, 100
    plan.run_axis = axis_of_runs(block)
    return 1000 * plan.run_axis + packed_at_once(block, plan)


def told(blocks, sides, item=8, size=262_144):
    """A block as compiled code is told of it, and what that record needs."""
    words = [w for b in blocks for w in (b.ctypes.data, b.itemsize, *b.strides)]
    lists = [np.array(list_, np.int64) for list_ in (words, blocks[0].shape, sides)]
    operands, shape, box = (list_.ctypes.data for list_ in lists)
    rank = blocks[0].ndim
    block = record(
        BLOCK, fold=0, row=0, in_line=0, operands=operands, count=len(blocks), shape=shape,
        ndim=rank, reduced=rank, sides=box, item=item, parts=0, part_items=0, part_count=1,
        scratch=0, size=size, picks=0,
    )  # fmt: skip
    return block, lists


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize(
    ("order", "second", "axis"),
    [
        ((0, 1, 2), None, 2),
        ((2, 0, 1), None, 1),
        ((2, 1, 0), (2, 1, 0), 0),
        ((2, 1, 0), (0, 1, 2), 2),
    ],
)
def test_runs_go_along_the_axis_whose_cells_are_nearest_in_all_operands(order, second, axis):
    cells = np.zeros((40, 40, 40))
    blocks = [cells.transpose(np.argsort(o)) for o in (order, second) if o is not None]
    block, kept = told(blocks, (8, 8, 16))
    assert at_once(block.ctypes.data, kept[2].ctypes.data) // 1000 == axis


def test_as_many_leaves_are_packed_together_as_fit():
    block, kept = told([np.zeros((400, 400, 400))], (8, 8, 16))
    found = at_once(block.ctypes.data, kept[2].ctypes.data) % 1000
    assert found > 16
    assert found * 8 * 1024 < 262_144


def test_turned_leaves_and_lines_that_are_rounds_fill_the_memory_that_there_is():
    """No sheet of a formula is left free for cells that are folded as they are."""
    for cells in (np.zeros((4000, 4000)).T, np.zeros((4000, 8000))[:, ::2]):
        block, kept = told([cells], (32, 32))
        found = at_once(block.ctypes.data, kept[2].ctypes.data) % 1000
        assert 0.9 * 262_144 < found * 8.5 * 1024 < 262_144


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("dtype", ["f8", "f4", "i1", "c16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_packed_runs_have_the_bits_of_numpys_way(shape, dtype):
    state, sides = state_of("sum", dtype), Tree(shape).sides(0)
    for order in permutations(range(len(shape))):
        whole = cells_of(np.random.default_rng(3), dtype, [shape[axis] for axis in order])
        for cells in (whole.transpose(np.argsort(order)), whole[::-1].transpose(np.argsort(order))):
            with compile_service.mode("wait"):
                ours = leaf_states([cells], "sum", cells.dtype, sides, state)
            with np.errstate(all="ignore"):
                expected = _leaf_states(cells, ARITHMETIC["sum"], sides, state)
            assert same_states(ours, expected), cells.strides


@pytest.mark.parametrize("monoid", ["sum", "var", "argmax", "any"])
@pytest.mark.parametrize("shape", SHAPES)
def test_formulas_are_evaluated_line_by_line(monoid, shape):
    """Operands lie in order, turned, backwards and repeated, each with each."""
    result = "?" if monoid == "any" else "f8"
    name = "less" if monoid == "any" else "multiply"
    one = native(formula(name, 0, 1, dtypes=("f8", "f8"), result=result))
    random = np.random.default_rng(5)
    cell = np.dtype(result)
    state, sides = state_of(monoid, cell), Tree(shape).sides(0)
    first = random.normal(size=shape[::-1]).T
    for second in (
        random.normal(size=shape[::-1]).T,
        random.normal(size=shape),
        random.normal(size=shape)[..., ::-1],
        np.broadcast_to(random.normal(size=shape[-1]), shape),
        np.broadcast_to(random.normal(size=(*shape[:-1], 1)), shape),
    ):
        with compile_service.mode("wait"):
            ours = leaf_states([first, second], monoid, cell, sides, state, one)
        cells = first < second if monoid == "any" else first * second
        assert same_states(ours, _leaf_states(cells, ARITHMETIC[monoid], sides, state))
