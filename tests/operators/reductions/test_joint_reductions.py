import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import CellBuilder
from dask_tapestry.operators.reductions.joint_reductions import JointReductions, field_name
from dask_tapestry.operators.reductions.reduce import reduce
from dask_tapestry.teg import apply
from tests.comparisons import same_bits
from tests.operators.blocks import by_blocks

RANDOM = np.random.default_rng(3)
X, Y = RANDOM.normal(size=(2, 70, 40)).astype("f4")


def together(axis, *names):
    """Reductions of ``x * y``, x, y, ... and the reductions one by one."""
    inputs = [dt.asarray(X).node, dt.asarray(Y).node]
    parts, alone = [], []
    for number, name in enumerate(names):
        builder = CellBuilder([x.type.dtype for x in inputs])
        value = builder.call("multiply", (0, 1), X.dtype) if number == 0 else number % 2
        formula = builder.finish(value)
        cells = [dt.asarray(X * Y), dt.asarray(X), dt.asarray(Y)][
            0 if number == 0 else 1 + number % 2
        ]
        alone.append(reduce(cells.node, name, axis))
        parts.append(alone[-1].operator.with_formulas((formula,)))
    return apply(JointReductions(tuple(parts)), *inputs), alone


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("names", [("sum", "max"), ("mean", "var", "argmin"), ("any", "std")])
def test_each_field_is_the_reduction_alone(axis, names):
    node, alone = together(axis, *names)
    value = by_blocks(node, (X, Y), 9)
    for number, one in enumerate(alone):
        cells = one.inputs[0].operator.read(one.inputs[0].type.box)
        assert same_bits(value[field_name(number)], by_blocks(one, (cells,), 9))


@pytest.mark.parametrize("level", [0, 1, 2])
def test_parts_of_the_tree_give_the_same(level):
    node, _ = together(0, "sum", "var", "max")
    whole = by_blocks(node, (X, Y), 100)
    nodes = apply(node.operator.part(None, level), *node.inputs)
    rest = apply(node.operator.part(level, None), nodes)
    assert same_bits(by_blocks(rest, (by_blocks(nodes, (X, Y), 100),), 100), whole)


def test_it_reads_through_the_formulas_of_its_parts():
    node, _ = together(0, "sum", "max")
    product, y = node.operator.formulas(node.input_types)
    assert (str(product), y.chosen) == ("multiply($0, $1)", 1)
    assert node.operator.with_formulas((product, y)) == node.operator
    assert node.operator.part(0, None).formulas(node.input_types) == ()
    assert str(node.type) == "void64[40]"


def test_its_hash_is_made_once_and_stays_in_its_process():
    node, _ = together(0, "sum", "max")
    operator, hashed = node.operator, []

    class Part:
        def __hash__(self):
            hashed.append(self)
            return 1

    counted = JointReductions((Part(), Part()))
    assert hash(counted) == hash(counted)
    assert len(hashed) == 2
    assert hash(operator) == hash(JointReductions(operator.parts))
    again = pickle.loads(pickle.dumps(operator))
    assert again == operator
    assert "_hash" in vars(operator)
    assert "_hash" not in vars(again)


@pytest.mark.parametrize("names", [("sum", "max", "sum"), ("mean", "argmin", "var", "any")])
def test_its_scratch_memory_is_that_of_all_its_parts(names):
    node, _ = together(0, *names)
    operator, inputs = node.operator, node.input_types
    read = operator.demand(inputs, node.type.box)[0]
    each = sum(part.scratch_of(read) for part in operator.parts)
    assert operator.scratch_bytes(inputs, node.type.box) == each


def test_a_part_is_made_once():
    node, _ = together(0, "sum", "max")
    turns = node.operator.turns(node.input_types)
    assert turns.split(0).first is turns.split(0).first
    assert "_known_parts" not in vars(pickle.loads(pickle.dumps(node.operator)))
