import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import Lattice, Tree, lattice
from dask_tapestry.operators.user.user_monoid import Monoid, combining, fold, fold_operator
from dask_tapestry.teg import Graph, apply
from dask_tapestry.teg.check import check
from tests.operators.blocks import by_blocks

X = np.random.default_rng(0).normal(size=(3, 13))
ADD = Monoid(0.0, np.add)


def tree_sum(cells):
    """Neighbours added, then their sums alike."""
    while len(cells) > 1:
        pairs = [cells[i : i + 2] for i in range(0, len(cells), 2)]
        cells = [sum(pair[1:], pair[0]) for pair in pairs]
    return cells[0]


def test_neighbours_are_combined_in_a_fixed_tree():
    node = fold(dt.asarray(X).node, ADD, 1)
    assert np.array_equal(node.operator.reference(X), [tree_sum(list(row)) for row in X])
    assert np.array_equal(by_blocks(node, (X,), 1), node.operator.reference(X))


@pytest.mark.covering
@pytest.mark.parametrize("part", [1, 2, 3, 4, 8, 9])
@pytest.mark.parametrize("step", [1, 2, 9])
@pytest.mark.parametrize("axis", [0, 1])
def test_parts_are_whole_subtrees(part, step, axis):
    node = fold(dt.asarray(X).node, ADD, axis)
    partial = apply(node.operator.in_parts(part), *node.inputs)
    made = by_blocks(partial, (X,), step)
    assert np.array_equal(made, partial.operator.reference(X))
    rest = fold_operator(ADD, 0, X.dtype)
    assert np.array_equal(rest.reference(made), node.operator.reference(X))


@pytest.mark.parametrize("part", [1, 4, 5, 9, 20])
@pytest.mark.parametrize("offset", [0, -3])
def test_parts_along_stored_chunks_are_whole_subtrees(part, offset):
    tree = Tree((13,), 1, Lattice((4,), (offset,)))
    node = apply(fold_operator(ADD, 1, X.dtype, tree), dt.asarray(X).node)
    whole = node.operator.reference(X)
    assert np.array_equal(by_blocks(node, (X,), 1), whole)
    partial = apply(node.operator.in_parts(part), *node.inputs)
    check(Graph((partial,)))
    for step in (1, 2, 9):
        made = by_blocks(partial, (X,), step)
        assert np.array_equal(made, partial.operator.reference(X))
        rest = node.operator.combine(partial)
        assert np.array_equal(rest.operator.reference(made), whole)


def test_a_stored_array_is_folded_along_its_chunks(monkeypatch):
    monkeypatch.setattr(lattice, "FEW_LATTICE_CELLS", 8)
    x = dt.placeholder((100, 3), "f8", stored_chunks=(20, 3))
    assert fold(x.node, ADD, 0).operator.tree.lattice == Lattice((20,), (0,))
    assert fold(dt.ones((100, 3)).node, ADD, 0).operator.tree is None


def test_order_is_kept():
    letters = np.array(list("abcdefg"), dtype="U7")
    joined = fold(dt.asarray(letters).node, Monoid("", np.char.add), 0)
    assert str(joined.operator.reference(letters)) == "abcdefg"


def test_no_cells_are_the_identity():
    node = fold(dt.ones((0, 2)).node, Monoid(7.0, np.minimum), 0)
    assert node.operator.reference(np.ones((0, 2))).tolist() == [7, 7]
    assert dt.Array(node).compute().tolist() == [7, 7]


def test_names_of_dimensions_stay():
    x = dt.asarray(X).rename("row", "column").node
    assert fold(x, ADD, 1).type.dims == ("row",)
    assert fold(x, Monoid(0, np.maximum), 0).operator.in_parts(2).infer(x.type).dims == (
        None,
        "column",
    )


def test_what_a_fold_combines_is_told():
    folded = dt.reduction(dt.asarray([1.0, 2.0]), dt.Monoid(0.0, np.maximum)).node
    function, dtype, identity = combining(folded.operator)
    assert (function(1.0, 2.0), dtype, identity) == (2.0, np.float64, 0.0)
    assert combining((dt.ones(3) + 1).node.operator) is None
