import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.layouts.pin import Pin, pin
from dask_tapestry.operators.layouts.rechunk import Rechunk
from dask_tapestry.teg import BlockOperator, Region
from tests.operators.blocks import by_blocks

X = np.arange(24.0).reshape(4, 6)


def test_it_is_the_operator_without_its_signature():
    node = pin((dt.asarray(X) * 2).node)
    assert isinstance(node.operator, Pin)
    assert not isinstance(node.operator, BlockOperator)
    assert node.operator.kernel == "map"
    assert np.array_equal(by_blocks(node, (X,), 9), 2 * X)
    assert float(pin(dt.asarray(X).sum().node).operator.reference(X)) == X.sum()
    assert node.operator.restrict(node.input_types, Region.whole((4, 6))) is None
    assert [c.count for c in node.operator.layout] == [1, 1]


def test_it_costs_what_the_operator_costs():
    free = dt.asarray(X).sum().node
    assert pin(free).operator.flops(free.input_types, free.type.box) == (
        free.operator.flops(free.input_types, free.type.box)
    )


def test_a_source_is_held_in_one_block():
    assert isinstance(pin(dt.asarray(X).node).operator, Rechunk)


def test_a_pin_is_not_pinned_again():
    node = pin((dt.asarray(X) * 2).node)
    assert pin(node) is node
