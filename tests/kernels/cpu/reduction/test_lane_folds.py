from itertools import product

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.reduction.lane_folds import LANES, flat, fold, nothing_added
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(3)
SIDES = [(1,), (31,), (32,), (33,), (64,), (100,), (1024,), (32, 32), (16, 16, 4), (32, 5), (3, 64)]
OTHERS = [(1,), (3,), (2, 5)]
DTYPES = ["?", "i1", "i8", "f2", "f4", "f8", "c16", "m8[s]"]


def cells_of(shape, dtype="f8"):
    cells = RANDOM.normal(size=shape) * 10.0 ** RANDOM.integers(-3, 3, shape)
    cells[..., ::3] = -0.0
    return cells.astype("i8").astype(dtype) if dtype[0] in "im" else cells.astype(dtype)


def in_turn(function, cells):
    """The fold as it is defined, one cell after the other."""
    lanes = [cell.copy() for cell in cells[:LANES]]
    for i, cell in enumerate(cells[LANES:]):
        lanes[i % LANES] = function(lanes[i % LANES], cell)
    width = LANES
    while width > 1:
        width //= 2
        for i, high in enumerate(lanes[width : 2 * width]):
            lanes[i] = function(lanes[i], high)
        lanes = lanes[:width]
    return lanes[0]


def layouts(cells, rank):
    """The same cells, as they may lie in memory."""
    ndim = cells.ndim
    yield cells
    yield np.repeat(cells, 2, axis=-1)[..., ::2]
    yield np.asfortranarray(cells)
    order = (*range(rank, ndim), *range(rank))
    yield np.ascontiguousarray(cells.transpose(order)).transpose(np.argsort(order))
    yield np.ascontiguousarray(cells.transpose(order[::-1])).transpose(np.argsort(order[::-1]))
    yield np.ascontiguousarray(cells[::-1])[::-1]


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("others", OTHERS)
def test_cells_go_in_turn_to_the_lanes_wherever_they_lie(sides, others):
    cells = cells_of((*sides, *others))
    expected = in_turn(np.add, cells.reshape(-1, *others))
    for laid in layouts(cells, len(sides)):
        assert same_bits(fold(np.add, laid, len(sides)), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", [np.add, np.minimum])
def test_every_layout_has_the_same_bits(function, dtype):
    for sides, others in product([(100,), (32, 32)], OTHERS):
        cells = cells_of((*sides, *others), dtype)
        made = {fold(function, x, len(sides)).tobytes() for x in layouts(cells, len(sides))}
        assert len(made) == 1


def test_cells_that_repeat_in_memory_are_folded_in_order():
    row = cells_of((1, 7))
    repeated = np.broadcast_to(row, (1024, 7))
    assert same_bits(fold(np.add, repeated), in_turn(np.add, repeated.copy()))
    column = np.broadcast_to(cells_of((1024, 1)), (1024, 7))
    assert same_bits(fold(np.add, column), in_turn(np.add, column.copy()))


def test_folding_does_not_write_to_the_cells():
    for sides in SIDES:
        cells = np.ones((*sides, 3))
        fold(np.add, cells, len(sides))
        assert (cells == 1).all()


def test_objects_are_folded_in_order():
    letters = np.array(list("abcdefgh") * 10, object).reshape(8, 10, 1)
    assert fold(np.add, letters, 2).tolist() == ["".join(letters.ravel())]


def test_axes_become_one():
    cells = np.arange(24).reshape(2, 3, 4)
    assert flat(cells, 1) is cells
    assert flat(cells, 2).tolist() == cells.reshape(6, 4).tolist()


@pytest.mark.parametrize("dtype", ["i8", "f4", "f8", "c16"])
def test_adding_nothing_changes_no_cell(dtype):
    zeros = np.array([0.0, -0.0, 1.0]).astype(dtype)
    assert same_bits(zeros + nothing_added(np.dtype(dtype)), zeros)
