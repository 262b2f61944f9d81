from itertools import product
from random import Random

import pytest

from dask_tapestry.cells import Tree
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry.operators.reductions.common_tile import (
    FoldedAxes,
    NodesOfTile,
    common_tile,
    highest_level,
    lengthened_tile,
    nodes_of_tile,
    tiles_along,
)
from dask_tapestry.operators.tuning import LONGEST_TILE, MOST_TILE_BYTES
from tests.covering import seeds_of


def fold(axes, extents, sides=None, offset=None):
    lattice = Lattice(sides, offset or (0,) * len(sides)) if sides else None
    return FoldedAxes(axes, Tree(extents, lattice=lattice))


def test_sides_are_whole_nodes_of_all():
    shape = (6000, 9000)
    rows, columns = fold((1,), (9000,), (1500,)), fold((0,), (6000,), (400,))
    both = fold((0, 1), shape, (200, 750))
    assert common_tile(shape, [rows, columns, both]) == Lattice((400, 1500), (0, 0))


def test_an_axis_that_none_folds_has_tiles_of_one_cell():
    assert common_tile((5000, 7), [fold((0,), (5000,), (50,))]) == Lattice((50, 1), (0, 0))


def test_an_axis_that_a_node_has_whole_has_one_tile():
    shape = (5000, 900)
    tile = common_tile(shape, [fold((0, 1), shape, (50, 900)), fold((1,), (900,), (90,))])
    assert tile == Lattice((50, 900), (0, 0))
    assert tiles_along(shape, tile) == (100, 1)


def test_the_first_tile_begins_where_nodes_of_all_do():
    early, late = fold((0,), (5000,), (1000,), (-700,)), fold((0,), (5000,), (500,), (-200,))
    tile = common_tile((5000, 3), [early, late])
    assert tile == Lattice((1000, 1), (-700, 0))
    assert nodes_of_tile(late, 0, (5000, 3), tile)[0] == NodesOfTile(2, 1)
    apart = fold((0,), (5000,), (500,), (-300,))
    assert common_tile((50_000, 3), [early, apart]) is None


def test_tiles_are_not_much_longer_than_nodes():
    n = 1_000_000
    assert common_tile((n,), [fold((0,), (n,), (1009,)), fold((0,), (n,), (1013,))]) is None
    n = LONGEST_TILE * 1013
    tile = common_tile((n,), [fold((0,), (n,), (1009,)), fold((0,), (n,), (1013,))])
    assert tile == Lattice((n,), (0,))


def drawn(random):
    """A shape and reductions of it, stored in chunks that a slice may have cut."""
    shape = tuple(random.randint(1, 60) for _ in range(random.randint(1, 3)))
    chunks = [random.randint(1, n + 2) for n in shape]
    starts = [-random.randrange(side) for side in chunks]
    folds = []
    for _ in range(random.randint(1, 4)):
        axes = tuple(sorted(random.sample(range(len(shape)), random.randint(1, len(shape)))))
        sides = tuple(chunks[a] << random.randint(0, 2) for a in axes)
        extents = tuple(shape[a] for a in axes)
        lattice = Lattice(sides, tuple(starts[a] for a in axes)) if random.random() < 0.7 else None
        folds.append(FoldedAxes(axes, Tree(extents, random.choice([4, 16]), lattice)))
    return shape, folds


@pytest.mark.parametrize("seed", seeds_of(range(200), 60))
def test_every_node_lies_in_the_tile_that_has_its_place(seed):
    shape, folds = drawn(Random(seed))
    tile = common_tile(shape, folds)
    if tile is None:
        return
    for one in folds:
        level = highest_level(one, shape, tile)
        counts = tiles_along(shape, tile)
        for axis, (width, lead) in enumerate(nodes_of_tile(one, level, shape, tile)):
            spans = [(cell, cell + 1) for cell in range(shape[axis])]
            if axis in one.axes:
                at = one.axes.index(axis)
                spans = [one.tree.span(level, at, n) for n in range(one.tree.counts(level)[at])]
            assert lead + len(spans) <= counts[axis] * width
            for number, (lo, hi) in enumerate(spans):
                place = (lead + number) // width
                start = tile.offset[axis] + place * tile.sides[axis]
                assert start <= lo < hi <= start + tile.sides[axis]


def test_the_highest_level_whose_nodes_lie_in_tiles():
    shape = (4096, 4096)
    rows, both = fold((1,), (4096,), (512,)), fold((0, 1), shape, (64, 64))
    tile = common_tile(shape, [rows, both])
    assert tile == Lattice((64, 512), (0, 0))
    assert highest_level(rows, shape, tile) == 0
    assert (
        highest_level(both, shape, tile) == 1
    )  # the next one would be longer along the first axis
    assert both.tree.sides(1) == (64, 128)


def test_all_cells_are_in_tiles():
    for n, side, start in product((1, 7, 60), (1, 8, 70), (0, -3)):
        (count,) = tiles_along((n,), Lattice((side,), (start,)))
        assert (count - 1) * side + start < n <= count * side + start


def test_tiles_are_longer_until_nodes_take_a_quarter_of_the_cells():
    shape, maps = (200, 32_000), fold((1,), (32_000,), (2000,))
    time, tile = fold((0,), (200,), (4,), (-1,)), Lattice((4, 2000), (-1, 0))
    assert lengthened_tile(shape, tile, [time, maps], 5, [8, 4]) == Lattice((8, 2000), (-1, 0))
    assert lengthened_tile(shape, tile, [time, maps], 400, [8, 4]) == tile
    assert lengthened_tile(shape, tile, [time, maps], 1, [80, 4]) == Lattice((200, 2000), (0, 0))


def test_tiles_are_no_longer_than_a_task_may_read():
    shape, width = (200, 10**8), 10**7
    time, maps = fold((0,), (200,), (4,)), fold((1,), (10**8,), (width,))
    tile = lengthened_tile(shape, Lattice((4, width), (0, 0)), [time, maps], 4, [80, 8])
    assert tile.sides[0] == 16
    assert 4 * width * 16 <= MOST_TILE_BYTES < 4 * width * 32
