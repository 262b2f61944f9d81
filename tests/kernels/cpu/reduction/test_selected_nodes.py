import numpy as np
import pytest

from dask_tapestry.cells import Tree, selected_by
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry_kernels.cpu import KERNELS
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


def folded(x, monoid, axes, tree, origin=None, source=None, target=None):
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


def test_a_node_without_cells_leaves_its_neighbour():
    axes, tree = TREES[0]
    one = np.zeros(130, bool)
    one[[3, 129]] = True
    lone = Tree(tree.extents, tree.leaf, tree.lattice, selected_by(one, 0))
    with np.errstate(all="raise"):
        spread = folded(X, "var", axes, lone)
    np.testing.assert_allclose(spread, X[one].var(axis=0), rtol=1e-12)
    assert same_bits(folded(X, "sum", axes, lone), X[3] + X[129])
