import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import leaf_states as states_of_leaves
from dask_tapestry_kernels.cpu.reduction.leaf_states import (
    formula_of,
    leaf_states,
    simplified,
    still_in_line,
)
from dask_tapestry_kernels.cpu.reduction.leaf_tables import MOST_OPERANDS
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.reduce import _leaf_states
from tests.kernels.cpu.reduction.formula_columns import formula, native
from tests.kernels.cpu.reduction.leaf_cells import cells_of, same_states, state_of

MONOIDS = [("sum", "f8"), ("var", "f8"), ("argmin", "f8"), ("any", "?")]
SHAPES = [
    ((3000,), 1), ((70, 100), 2), ((64, 160), 2), ((100, 7), 1), ((2000, 3), 1), ((40, 9, 200), 1),
    ((33, 40, 5), 2), ((2, 3, 4, 50), 3), ((1, 1030, 1), 2), ((3, 5000), 1), ((5, 1), 1), ((1,), 1),
    ((96, 96, 3), 2), ((300, 3, 2), 2),
]  # fmt: skip


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


def layouts(random, dtype, shape):
    """Cells of a shape: in order, turned, reversed, apart, repeated."""
    yield cells_of(random, dtype, shape)
    yield cells_of(random, dtype, shape[::-1]).T
    yield cells_of(random, dtype, shape)[tuple(slice(None, None, -1) for _ in shape)]
    yield cells_of(random, dtype, tuple(2 * n for n in shape))[
        tuple(slice(0, 2 * n, 2) for n in shape)
    ]
    yield np.moveaxis(cells_of(random, dtype, (*shape[1:], shape[0])), -1, 0)
    yield np.broadcast_to(cells_of(random, dtype, (*shape[:-1], 1)), shape)
    if len(shape) > 2:
        yield np.swapaxes(cells_of(random, dtype, (shape[1], shape[0], *shape[2:])), 0, 1)


@pytest.mark.parametrize(("shape", "rank"), SHAPES)
@pytest.mark.parametrize(("monoid", "dtype"), MONOIDS)
def test_all_leaves_have_the_bits_of_numpys_way(monoid, dtype, shape, rank):
    state, sides = state_of(monoid, dtype), Tree(shape[:rank]).sides(0)
    for cells in layouts(np.random.default_rng(7), dtype, shape):
        ours = leaf_states([cells], monoid, cells.dtype, sides, state)
        with np.errstate(all="ignore"):
            expected = _leaf_states(cells, ARITHMETIC[monoid], sides, state)
        assert same_states(ours, expected), cells.strides


def in_line(random, dtype, n, kept):
    """Operands whose leaves lie in line, some of one cell in each, and which ones these are."""
    rows = cells_of(random, dtype, (kept, n)).T
    apart = cells_of(random, dtype, (2 * kept, n + 3))[::-2, :n].T
    still = np.broadcast_to(cells_of(random, dtype, (kept,)), (n, kept))
    one = np.broadcast_to(cells_of(random, dtype, ()), (n, kept))
    yield [rows, still], (1,)
    yield [still, apart], (0,)
    yield [apart, rows], ()
    yield [apart, one], (1,)
    planes = cells_of(random, dtype, (kept, 3, n)).transpose(2, 0, 1)
    yield [planes, np.broadcast_to(cells_of(random, dtype, (kept, 1)), planes.shape)], (1,)
    yield [np.broadcast_to(cells_of(random, dtype, (3,)), planes.shape), planes], (0,)
    yield [planes, np.broadcast_to(rows[:, :, None], planes.shape)], ()


@pytest.mark.covering
@pytest.mark.parametrize("scratch", [1, 2**16])
@pytest.mark.parametrize("n", [64, 95, 1024, 1025, 3000])
@pytest.mark.parametrize("kept", [2, 7, 130])
@pytest.mark.parametrize(("monoid", "dtype"), [("sum", "f8"), ("var", "f8"), ("max", "f4")])
def test_formulas_of_leaves_in_line(monoid, dtype, kept, n, scratch, monkeypatch):
    monkeypatch.setattr(states_of_leaves, "LINES_SCRATCH", scratch)
    cell, state, sides = np.dtype(dtype), state_of(monoid, dtype), Tree((n,)).sides(0)
    expression = formula("subtract", 0, 1, dtypes=(dtype, dtype))
    for blocks, still in in_line(np.random.default_rng(3), dtype, n, kept):
        assert still_in_line(blocks, sides) == still
        made = formula_of(expression, 2**22, still)
        ours = leaf_states(blocks, monoid, cell, sides, state, made)
        with np.errstate(all="ignore"):
            cells = np.subtract(*blocks)
            expected = _leaf_states(cells, ARITHMETIC[monoid], sides, state)
        assert same_states(ours, expected), [block.strides for block in blocks]


def test_which_leaves_lie_in_line():
    rows, few = np.ones((9, 200)).T, np.ones((9, 63)).T
    still = np.broadcast_to(np.ones(9), (200, 9))
    assert still_in_line([rows, still], (64,)) == (1,)
    assert still_in_line([rows, still], (63,)) is None  # too short to be worth a call
    assert still_in_line([few, few], (64,)) is None
    assert still_in_line([still, still], (64,)) is None  # nothing is read along a leaf
    assert still_in_line([rows, np.ones((200, 9))], (64,)) is None
    assert still_in_line([rows[::-1], still], (64,)) is None
    assert still_in_line([np.ones(200), np.ones(200)], (64,)) is None  # a single leaf a place
    assert still_in_line([np.ones((200, 8, 9))] * 2, (64, 8)) is None


def test_small_blocks_do_not_wait_for_a_kernel():
    cell = np.dtype("u4")
    with compile_service.mode("auto"):
        assert leaf_states([np.ones(10, cell)], "bitwise_xor", cell, (16,), cell) is None


def test_leaves_that_are_too_large_or_empty_are_left_to_numpy():
    cell = np.dtype("f8")
    assert leaf_states([np.ones(70_000)], "sum", cell, (8192,), cell) is None
    assert leaf_states([np.ones((0, 3))], "sum", cell, (1,), cell) is None


@pytest.mark.parametrize(
    ("shape", "sides", "expected"),
    [
        ((8, 9), (8, 9), ([72], [72])),
        ((8, 9), (4, 4), ([8, 9], [4, 4])),
        ((8, 1, 9), (4, 1), ([8, 9], [4])),
        ((1, 5, 6), (1,), ([30], [])),
    ],
)
def test_axes_that_are_one_are_merged(shape, sides, expected):
    extents, cuts, strides = simplified(shape, sides, [np.empty(shape).strides])
    assert (extents, cuts) == expected
    assert [len(of) for of in strides] == [len(extents)]


def test_formulas_of_more_operands_than_there_is_room_for_are_left_to_numpy():
    square, cell = native(formula("multiply", 0, 0, dtypes=("f8",))), np.dtype("f8")
    cells, constant = cells_of(np.random.default_rng(2), "f8", (200, 30)).T, np.array(1.0)
    for operands, compiled in (MOST_OPERANDS, True), (MOST_OPERANDS + 1, False):
        one = square._replace(scalars=(constant,) * (operands - 1))
        assert (leaf_states([cells], "sum", cell, (30,), cell, one) is not None) == compiled
