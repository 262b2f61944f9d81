from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.cells import Tree
from dask_tapestry.cells.reduction_tree import LEAF_CELLS, leaf_sides
from dask_tapestry.operators.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS
from tests.comparisons import same_bits
from tests.operators.monoid_names import monoids_of

EXTENTS = st.lists(st.integers(1, 200), min_size=1, max_size=3).map(tuple)
SMALL = ((3000,), (70, 90), (5, 300, 7))


def nodes(tree, level):
    """Spans of the nodes at a level, for each axis."""
    return [
        [(n * side, min((n + 1) * side, extent)) for n in range(count)]
        for side, count, extent in zip(
            tree.sides(level), tree.counts(level), tree.extents, strict=True
        )
    ]


@given(EXTENTS, st.integers(0, 12))
def test_nodes_of_a_level_partition_the_cells(extents, level):
    tree = Tree(extents)
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


@given(EXTENTS, st.integers(0, 12))
def test_a_level_merges_neighbours_along_its_axis(extents, level):
    tree = Tree(extents)
    below, above, axis = tree.counts(level), tree.counts(level + 1), tree.axis(level)
    assert above == tuple(-(-n // 2) if a == axis else n for a, n in enumerate(below))


@given(EXTENTS)
def test_the_depth_is_the_first_level_of_one_node(extents):
    tree = Tree(extents)
    assert tree.counts(tree.depth) == (1,) * len(extents)
    assert not tree.depth or prod(tree.counts(tree.depth - 1)) > 1


def test_an_empty_axis_has_no_nodes():
    assert Tree((0, 5)).counts(0)[0] == 0
    assert Tree((0, 5)).depth == 0


def folded(x, name, tree, source, target):
    declared = MONOIDS[name]
    result, state = declared.dtypes(np.dtype("f8"), None)
    told = {"monoid": name, "axes": tuple(range(x.ndim)), "tree": tree, "ddof": 0.0}
    told |= {"origin": (0,) * x.ndim, "dtype": result, "state": state}
    return KERNELS["reduce"](None, x, **told, source=source, target=target)


def cells(shape):
    random = np.random.default_rng(3)
    return random.normal(size=shape) * 10.0 ** random.integers(-8, 8, shape)


@pytest.mark.parametrize("shape", SMALL)
@pytest.mark.parametrize("name", monoids_of("f8"))
def test_every_way_through_the_levels_ends_in_the_same_bits(name, shape):
    tree, x = Tree(shape), cells(shape)
    whole = folded(x, name, tree, None, None)
    for level in range(tree.depth + 2):
        part = folded(x, name, tree, None, level)
        assert part.shape == tree.counts(level)
        assert same_bits(folded(part, name, tree, level, None), whole)
        further = folded(part, name, tree, level, level + 2)
        assert same_bits(folded(further, name, tree, level + 2, None), whole)


@pytest.mark.parametrize("shape", SMALL)
@pytest.mark.parametrize("name", monoids_of("f8"))
def test_a_shard_on_node_edges_computes_those_nodes(name, shape):
    tree, x, level = Tree(shape), cells(shape), 1
    every = folded(x, name, tree, None, level)
    result, state = MONOIDS[name].dtypes(x.dtype, None)
    for place in product(*[range(n) for n in tree.counts(level)]):
        spans = [spans[i] for spans, i in zip(nodes(tree, level), place, strict=True)]
        shard = x[tuple(slice(*span) for span in spans)]
        told = {"monoid": name, "axes": tuple(range(x.ndim)), "tree": tree, "ddof": 0.0}
        told |= {"dtype": result, "state": state, "source": None, "target": level}
        one = KERNELS["reduce"](None, shard, **told, origin=tuple(a for a, _ in spans))
        assert one.shape == (1,) * x.ndim
        assert one.tobytes() == every[place].tobytes()
