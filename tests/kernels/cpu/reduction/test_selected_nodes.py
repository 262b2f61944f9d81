import numpy as np
import pytest

from dask_tapestry.cells import Tree, selected_by
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.reduction.selected_nodes import Gathering
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(8)
X = RANDOM.normal(size=(130, 20, 9))
MASK = RANDOM.random(130) < 0.3
MASK[40:80] = False  # a cell of the lattice and more without any
PLACES = np.flatnonzero(MASK)
VARIANCE = [("mean", "f8"), ("m2", "f8")]
PLACE = [("value", "f8"), ("place", np.intp)]
STATES = {"sum": "f8", "mean": "f8", "max": "f8", "var": VARIANCE, "argmax": PLACE}
TREES = (
    ((0,), Tree((130,), 16, Lattice((20,), (-5,)), selected_by(MASK, 0))),
    ((0, 2), Tree((130, 9), 16, Lattice((20, 3), (-5, -1)), selected_by(MASK, 0))),
    ((2, 0), Tree((9, 130), 16, Lattice((3, 20), (-1, -5)), selected_by(MASK, 1))),
)


def folded(x, monoid, axes, tree, origin=None, source=None, target=None, spans=None):
    dtype = np.dtype(np.intp if monoid == "argmax" else "f8")
    return KERNELS["reduce"](
        None,
        x,
        monoid=monoid,
        axes=axes,
        tree=tree,
        origin=origin or (0,) * len(axes),
        dtype=dtype,
        state=np.dtype(STATES[monoid]),
        ddof=0.0,
        source=source,
        target=target,
        spans=spans,
    )


def numpys(monoid, axes):
    x = X[MASK]
    if monoid != "argmax":
        return getattr(np, monoid)(x, axis=axes)
    kept = [axis for axis in range(3) if axis not in axes]
    moved = x.transpose(*kept, *axes)
    return moved.reshape(*moved.shape[: len(kept)], -1).argmax(-1)


@pytest.mark.parametrize("monoid", STATES)
@pytest.mark.parametrize(("axes", "tree"), TREES)
def test_selected_cells_are_folded(monoid, axes, tree):
    np.testing.assert_allclose(folded(X, monoid, axes, tree), numpys(monoid, axes), rtol=1e-12)


@pytest.mark.parametrize("monoid", STATES)
@pytest.mark.parametrize(("axes", "tree"), TREES)
def test_nodes_of_any_level_are_folded_on_to_the_same_bits(monoid, axes, tree):
    whole = folded(X, monoid, axes, tree)
    for level in range(tree.depth + 1):
        nodes = folded(X, monoid, axes, tree, target=level)
        assert same_bits(folded(nodes, monoid, axes, tree, source=level), whole)


@pytest.mark.parametrize("monoid", STATES)
def test_blocks_that_end_where_cells_do_have_the_nodes_of_all(monoid):
    axes, tree = TREES[0]
    nodes = folded(X, monoid, axes, tree, target=0)
    parts = [
        folded(X[low:high], monoid, axes, tree, (low,), target=0)
        for low, high in ((0, 15), (15, 55), (55, 130))
    ]
    assert same_bits(np.concatenate(parts), nodes)


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
@pytest.mark.parametrize("monoid", STATES)
def test_blocks_from_the_first_selected_cell_to_the_last_have_the_nodes_of_all(monoid, order):
    axes, tree = TREES[0]
    x = np.ascontiguousarray(X.transpose(order)).transpose(np.argsort(order))
    nodes, parts = folded(x, monoid, axes, tree, target=0), []
    for low, high in ((0, 35), (35, 75), (75, 130)):
        first, last = tree.selected.hull(low, high)
        spans = ((low, high),)
        parts.append(folded(x[first:last], monoid, axes, tree, (first,), target=0, spans=spans))
    every, has = np.concatenate(parts), tree.selected_counts(0) > 0
    assert not has.all()
    assert same_bits(every[has], nodes[has])


def test_cells_of_several_blocks_are_gathered_apart():
    gathering, places = Gathering(), np.array([0, 2])
    x, y = np.arange(12.0).reshape(3, 4), np.arange(12.0, 24).reshape(3, 4)
    first, second = gathering.cells(0, x, 0, places), gathering.cells(1, y, 0, places)
    assert same_bits(first, x[::2])
    assert same_bits(second, y[::2])
    assert np.shares_memory(gathering.cells(0, y.T, 1, places), first)
    assert same_bits(first.T, y.T[:, ::2])
    every = np.arange(3)
    assert gathering.cells(0, x, 0, every) is x
    assert same_bits(gathering.cells(0, x[:, 1:3], 0, places), x[::2, 1:3])


def test_a_node_without_cells_leaves_its_neighbour():
    axes, tree = TREES[0]
    one = np.zeros(130, bool)
    one[[3, 129]] = True
    lone = Tree(tree.extents, tree.leaf, tree.lattice, selected_by(one, 0))
    with np.errstate(all="raise"):
        spread = folded(X, "var", axes, lone)
    np.testing.assert_allclose(spread, X[one].var(axis=0), rtol=1e-12)
    assert same_bits(folded(X, "sum", axes, lone), X[3] + X[129])
