import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells import Lattice, Tree
from dask_tapestry_kernels.lattice_cells import (
    folded_nodes,
    node_counts,
    node_numbers,
    runs_of_cells,
)


def cells_of(rows, columns):
    return {(i, j) for i in range(*rows) for j in range(*columns)}


@given(st.data())
def test_nodes_of_a_block_are_made_of_its_cells_in_the_trees_order(data):
    extent, side = data.draw(st.integers(1, 60)), data.draw(st.integers(1, 20))
    tree = Tree((extent, 7), 4, Lattice((side, 3), (-data.draw(st.integers(0, side - 1)), -1)))
    level = data.draw(st.integers(0, 5))
    count, wide = tree.counts(level)
    first = data.draw(st.integers(0, count - 1))
    last = data.draw(st.integers(first + 1, count))
    low, high = tree.span(level, 0, first)[0], tree.span(level, 0, last - 1)[1]
    origin, shape = (low, 0), (high - low, 7)
    assert node_numbers(tree, level, origin) == (first, 0)
    assert node_counts(tree, level, origin, shape) == (last - first, wide)

    def fold(cell):
        rows, columns = ((cut.start, cut.stop) for cut in cell.cut)
        rows = rows[0] + low, rows[1] + low
        assert cell.tree == Tree((rows[1] - rows[0], columns[1] - columns[0]), 4)
        return cells_of(rows, columns)

    def merge(left, right, counts):
        assert not left & right
        assert min(left) < min(right)
        assert counts == (len(left), len(right))
        return left | right

    seen = 0
    for place, cells in folded_nodes(tree, level, origin, shape, fold, merge):
        rows, columns = tree.span(level, 0, first + place[0]), tree.span(level, 1, place[1])
        assert cells == cells_of(rows, columns)
        seen += 1
    assert seen == (last - first) * wide


def test_cells_of_one_size_are_runs():
    tree = Tree((21, 13), lattice=Lattice((8, 6), (-2, -3)))
    runs = runs_of_cells(tree, (0, 0), (21, 13))
    assert [run.counts for run in runs] == [(1, 1), (1, 1), (1, 1)] * 3
    runs = runs_of_cells(tree, (6, 3), (15, 10))
    assert runs[0].place == (slice(0, 1), slice(0, 1))
    assert runs[-1].cut == (slice(8, 15), slice(6, 10))
    assert runs[-1].tree.extents == (7, 4)
    ((row,),) = [runs_of_cells(Tree((40,), lattice=Lattice((8,), (0,))), (8,), (32,))]
    assert (row.counts, row.place, row.cut) == ((4,), (slice(0, 4),), (slice(0, 32),))
    assert row.running_numbers((40,)).tolist() == [0, 8, 16, 24]


def test_running_numbers_are_those_of_the_first_cells():
    tree = Tree((6, 8), lattice=Lattice((2, 4), (0, 0)))
    (run,) = runs_of_cells(tree, (0, 0), (6, 8))
    places = np.arange(48).reshape(6, 8)
    assert run.running_numbers((6, 8)).tolist() == places[::2, ::4].tolist()


def test_of_no_cells_there_are_no_runs():
    assert not runs_of_cells(Tree((0,), lattice=Lattice((8,), (0,))), (0,), (0,))
