import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.operators.sorting.grouped_lines import grouped_lines, line_group
from dask_tapestry.operators.sorting.order_statistics import ranks
from dask_tapestry.teg import apply
from tests.comparisons import same_bits
from tests.operators.blocks import by_blocks, taken_bytes

X = np.random.default_rng(3).normal(size=(9, 70)).astype("f4")
LINES = [np.arange(n, n + 7 + n % 3) for n in range(0, 50, 5)]
LINES += [np.array([3, 9, 60]), np.array([8, 5, 2]), np.arange(69, 0, -4)]


def folds(name):
    """The folds of some lines, together, and one by one."""
    x, alone = dt.asarray(X).node, []
    for lines in LINES:
        own = dt.asarray(X[:, lines]).node
        alone.append(ranks(own, (0, 2), 1) if name == "ranks" else reduce(own, name, (1,)))
    return apply(grouped_lines(1, [one.operator for one in alone], LINES), x), alone


@pytest.mark.parametrize("name", ["sum", "std", "argmax", "mean", "ranks"])
def test_each_group_has_the_bits_of_its_fold_alone(name):
    node, alone = folds(name)
    value = by_blocks(node, (X,), 2 if name == "ranks" else 4)
    assert value.shape[-1] == len(LINES)
    for number, (one, lines) in enumerate(zip(alone, LINES, strict=True)):
        assert same_bits(value[..., number].copy(), by_blocks(one, (X[:, lines],), 100))
    np.testing.assert_allclose(value, node.operator.reference(X), rtol=1e-5, atol=1e-6)


def test_a_block_reads_from_the_first_line_of_its_groups_to_the_last():
    node, _ = folds("sum")
    box = node.type.box.replace(1, 1, 3)
    (read,) = node.operator.demand(node.input_types, box)
    assert (read.lo, read.hi) == ((0, 5), (9, 18))


def test_lines_that_are_even_are_told_by_their_step():
    assert line_group(0, np.array([8, 5, 2])).step == -3
    assert line_group(0, np.array([4])).length == 1
    uneven = line_group(0, np.array([1, 2, 5]))
    assert uneven.lines.tolist() == [1, 2, 5]
    assert line_group(0, np.array([3, 3])).lines.tolist() == [3, 3]


@pytest.mark.parametrize("name", ["sum", "ranks"])
def test_groups_of_one_length_share_an_operator(name):
    node, _ = folds(name)
    assert [node.operator.lengths[group.fold] for group in node.operator.groups] == [
        len(lines) for lines in LINES
    ]
    assert len(node.operator.folds) == len({len(lines) for lines in LINES})
    again = pickle.loads(pickle.dumps(node.operator))
    assert again == node.operator
    assert hash(again) == hash(node.operator)


@pytest.mark.parametrize("name", ["max", "argmax", "ranks"])
def test_it_takes_no_more_memory_than_it_promises(name):
    cells = np.random.default_rng(4).normal(size=(300, 4000))
    lines = [np.delete(np.arange(300), slice(n, 300, 3 + n % 2)) for n in range(5)]
    lines += [np.array([1, 5, 2]), np.arange(100)]
    x, alone = dt.asarray(cells).node, []
    for own in lines:
        one = dt.asarray(cells[own]).node
        alone.append(ranks(one, (1,), 0) if name == "ranks" else reduce(one, name, (0,)))
    node = apply(grouped_lines(0, [one.operator for one in alone], lines), x)
    promised = node.operator.scratch_bytes(node.input_types, node.type.box)
    assert taken_bytes(node, (cells,), node.type.box) < 1.1 * promised + 2**18
