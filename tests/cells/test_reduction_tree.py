from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells import Lattice, Tree, selected_by
from dask_tapestry.cells.reduction_tree import LEAF_CELLS, leaf_sides
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.devices import kernels_of
from tests.comparisons import same_bits
from tests.operators.monoid_names import monoids_of

EXTENTS = st.lists(st.integers(1, 200), min_size=1, max_size=3).map(tuple)
TREES = (
    Tree((3000,)),
    Tree((70, 90)),
    Tree((5, 300, 7)),
    Tree((3000,), 64, Lattice((700,), (-300,))),
    Tree((70, 90), 16, Lattice((20, 90), (-5, 0))),
    Tree((5, 300, 7), 32, Lattice((2, 170, 3), (-1, -60, -2))),
)


@st.composite
def trees(draw, extents=EXTENTS):
    """Trees with a lattice and without."""
    shape = draw(extents)
    if draw(st.booleans()):
        return Tree(shape)
    sides = tuple([draw(st.integers(1, n)) for n in shape])
    return Tree(shape, 16, Lattice(sides, tuple([-draw(st.integers(0, s - 1)) for s in sides])))


def nodes(tree, level):
    """Spans of the nodes at a level, for each axis."""
    return [
        [tree.span(level, axis, n) for n in range(count)]
        for axis, count in enumerate(tree.counts(level))
    ]


@given(trees(), st.integers(0, 12))
def test_nodes_of_a_level_partition_the_cells(tree, level):
    extents = tree.extents
    for axis, spans in enumerate(nodes(tree, level)):
        assert [p for a, b in spans for p in range(a, b)] == list(range(extents[axis]))
        assert tree.lengths(level, axis) == tuple(b - a for a, b in spans)
        assert all(a < b for a, b in spans)


@given(EXTENTS)
def test_leaves_are_bricks_of_powers_of_two(extents):
    sides = leaf_sides(extents)
    assert all(side & (side - 1) == 0 for side in sides)
    assert prod(sides) >= LEAF_CELLS or all(s >= n for s, n in zip(sides, extents, strict=True))
    assert prod(sides) < 2 * LEAF_CELLS
    assert all(s < 2 * n for s, n in zip(sides, extents, strict=True))


@given(trees(), st.integers(0, 12))
def test_a_level_merges_neighbours_along_its_axis(tree, level):
    below, above, axis = tree.counts(level), tree.counts(level + 1), tree.axis(level)
    assert above == tuple(-(-n // 2) if a == axis else n for a, n in enumerate(below))


@given(trees())
def test_the_depth_is_the_first_level_of_one_node(tree):
    assert tree.counts(tree.depth) == (1,) * len(tree.extents)
    assert not tree.depth or prod(tree.counts(tree.depth - 1)) > 1


def test_an_empty_axis_has_no_nodes():
    assert Tree((0, 5)).counts(0)[0] == 0
    assert Tree((0, 5)).depth == 0


def folded(x, name, tree, source, target):
    declared = MONOIDS[name]
    result, state = declared.dtypes(np.dtype("f8"), None)
    told = {"monoid": name, "axes": tuple(range(x.ndim)), "tree": tree, "ddof": 0.0}
    told |= {"origin": (0,) * x.ndim, "dtype": result, "state": state}
    return kernels_of("cpu")["reduce"](None, x, **told, source=source, target=target)


def cells(shape):
    random = np.random.default_rng(3)
    return random.normal(size=shape) * 10.0 ** random.integers(-8, 8, shape)


@given(st.integers(1, 3000), st.integers(1, 3000))
def test_a_leaf_that_is_clipped_is_one_leaf(rows, columns):
    leaf = leaf_sides((3000, 3000))
    assert Tree((min(rows, leaf[0]), min(columns, leaf[1]))).depth == 0


def test_some_axes_of_a_tree():
    lattice = Lattice((4, 5, 6), (-1, 0, -2))
    assert Tree((30, 40, 50), 64, lattice).over_axes([0, 2]) == Tree(
        (30, 50), 64, Lattice((4, 6), (-1, -2))
    )
    assert Tree((30, 40)).over_axes([1]) == Tree((40,))


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("name", monoids_of("f8"))
def test_every_way_through_the_levels_ends_in_the_same_bits(name, tree):
    x = cells(tree.extents)
    whole = folded(x, name, tree, None, None)
    for level in range(tree.depth + 2):
        part = folded(x, name, tree, None, level)
        assert part.shape == tree.counts(level)
        assert same_bits(folded(part, name, tree, level, None), whole)
        further = folded(part, name, tree, level, level + 2)
        assert same_bits(folded(further, name, tree, level + 2, None), whole)


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("name", monoids_of("f8"))
def test_a_cell_of_a_lattice_is_a_tree_of_its_own(name, tree):
    x = cells(tree.extents)
    state = MONOIDS[name].dtypes(x.dtype, None)[1]
    if "place" in (state.names or ()):
        return  # which is counted in all cells
    spans = [along[0] for along in nodes(tree, 0)]
    first = x[tuple(slice(*span) for span in spans)]
    alone = Tree(first.shape, tree.leaf)
    node = folded(first, name, alone, None, alone.depth)
    assert node.tobytes() == folded(x, name, tree, None, 0)[(0,) * x.ndim].tobytes()


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("name", monoids_of("f8"))
def test_a_shard_on_node_edges_computes_those_nodes(name, tree):
    x, level = cells(tree.extents), 1
    every = folded(x, name, tree, None, level)
    result, state = MONOIDS[name].dtypes(x.dtype, None)
    for place in product(*[range(n) for n in tree.counts(level)]):
        spans = [spans[i] for spans, i in zip(nodes(tree, level), place, strict=True)]
        shard = x[tuple(slice(*span) for span in spans)]
        told = {"monoid": name, "axes": tuple(range(x.ndim)), "tree": tree, "ddof": 0.0}
        told |= {"dtype": result, "state": state, "source": None, "target": level}
        one = kernels_of("cpu")["reduce"](None, shard, **told, origin=tuple(a for a, _ in spans))
        assert one.shape == (1,) * x.ndim
        assert one.tobytes() == every[place].tobytes()


def test_selected_cells_are_those_that_nodes_stand_for():
    chosen = selected_by(np.arange(3000) % 3 == 0, 0)
    tree = Tree((3000, 5), 64, Lattice((700, 5), (-300, 0)), chosen)
    assert tree.folded == (1000, 5)
    assert tree.of_all.folded == tree.of_all.extents == tree.extents
    assert tree.selected_counts(0).tolist() == [134, 233, 233, 234, 166]
    assert tree.selected_counts(2).tolist() == [367, 467, 166]
