import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import selected_by
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.reductions.selected_folds import SelectedFolds, selecting
from dask_tapestry.teg import apply
from tests.comparisons import same_bits
from tests.operators.blocks import by_blocks, taken_bytes

X = np.random.default_rng(3).normal(size=(70, 12)).astype("f4")
MASKS = [np.arange(70) % 10 == n for n in range(10)]


def folds(name, masks=MASKS):
    """The folds of some days, together, and one by one."""
    plain = reduce(dt.asarray(X).node, name, (0,))
    own = plain.operator
    object.__setattr__(own.tree, "lattice", Lattice((8,), (-3,)))
    operator = SelectedFolds(own, tuple([selected_by(mask, 0) for mask in masks]))
    alone = [apply(selecting(own, chosen), *plain.inputs) for chosen in operator.selections]
    return apply(operator, *plain.inputs), alone


@pytest.mark.parametrize("name", ["sum", "std", "max", "argmax", "mean"])
def test_each_selection_has_the_bits_of_its_fold_alone(name):
    node, alone = folds(name)
    value = by_blocks(node, (X,), 5)
    assert value.shape == (12, 10)
    for number, one in enumerate(alone):
        assert same_bits(value[:, number].copy(), by_blocks(one, (X,), 12))
    np.testing.assert_allclose(value, node.operator.reference(X), rtol=1e-5)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_parts_of_the_tree_give_the_same(level):
    node, _ = folds("std")
    nodes = apply(node.operator.part(None, level), *node.inputs)
    rest = apply(node.operator.part(level, None), nodes)
    found = by_blocks(rest, (by_blocks(nodes, (X,), 4),), 5)
    assert same_bits(found, by_blocks(node, (X,), 100))


def test_it_reads_what_is_selected_alone():
    node, _ = folds("sum", [mask & (np.arange(70) > 40) for mask in MASKS])
    (read,) = node.operator.demand(node.input_types, node.type.box)
    assert (read.lo, read.hi) == ((41, 0), (70, 12))


def test_it_travels_as_its_parameters():
    node, _ = folds("sum")
    again = pickle.loads(pickle.dumps(node.operator))
    assert again == node.operator
    assert hash(again) == hash(node.operator)
    assert node.operator.text().endswith("10 selections")


@pytest.mark.parametrize("name", ["sum", "std", "argmax"])
def test_it_takes_no_more_memory_than_it_promises(name):
    cells = np.random.default_rng(4).normal(size=(70, 40_000))
    plain = reduce(dt.asarray(cells).node, name, (0,))
    object.__setattr__(plain.operator.tree, "lattice", Lattice((32,), (-3,)))
    masks = [np.random.default_rng(n).random(70) < 0.6 for n in range(4)]
    operator = SelectedFolds(plain.operator, tuple([selected_by(mask, 0) for mask in masks]))
    node = apply(operator, *plain.inputs)
    promised = operator.scratch_bytes(node.input_types, node.type.box)
    assert taken_bytes(node, (cells,), node.type.box) < 1.1 * promised + 2**20
