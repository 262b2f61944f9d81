import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError
from dask_tapestry.operators.joins.insert import Insert, insert, inserted_region
from dask_tapestry.teg import Progression, apply
from tests.operators.indexed import SHAPES, check, numbers
from tests.operators.views.test_view import region_of


@given(SHAPES, st.data())
def test_a_region_is_replaced(shape, data):
    x, into = numbers(shape), tuple(region_of(data.draw, shape))
    values = -numbers(tuple(p.count for p in into))
    node = apply(Insert(into), dt.asarray(x).node, dt.asarray(values).node)
    check(node, [x, values], data)


def test_a_block_that_is_all_replaced_reads_nothing_of_the_first_input():
    x = dt.ones((4, 4)).node
    node = insert(x, (Progression(0, 1, 2), Progression(0, 1, 4)), dt.zeros((2, 4)).node)
    first, second = node.operator.demand(node.input_types, node.type.box.replace(0, 0, 2))
    assert first.is_empty
    assert second.shape == (2, 4)


def test_all_or_nothing_is_no_insert():
    x, y = dt.ones(3).node, dt.zeros(3).node
    assert insert(x, (Progression(0, 1, 3),), y) is y
    assert insert(x, (Progression(0, 1, 0),), dt.zeros(0).node) is x
    with pytest.raises(ShapeError, match="do not fill"):
        insert(x, (Progression(0, 1, 2),), y)


def test_the_region_of_a_value_that_has_one():
    x, part = dt.zeros((4, 6)).node, dt.ones((2, 3)).node
    into = (Progression(1, 1, 2), Progression(0, 2, 3))
    assert inserted_region(insert(x, into, part), x) == into
    assert inserted_region(insert(x, into, part), part) is None
    assert inserted_region(x, x) is None
