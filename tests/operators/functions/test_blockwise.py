from dataclasses import replace

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.functions.blockwise import BlocksOf
from dask_tapestry.teg import Progression, Region, apply
from dask_tapestry.zspace import Cuts, ZRange
from tests.operators.blocks import block, by_blocks, picked

X = np.arange(40.0).reshape(8, 5)


def reverse_blocks():
    x = dt.asarray(X).rechunk((3, 2))
    return dt.map_blocks(lambda b: b[::-1, ::-1], x).node


@pytest.mark.parametrize("step", [1, 2, 3, 9])
def test_boxes_across_blocks_are_put_together(step):
    node = reverse_blocks()
    whole = by_blocks(node, (X,), 9)
    assert np.array_equal(by_blocks(node, (X,), step), whole)
    assert np.array_equal(whole[:3, :2], X[:3, :2][::-1, ::-1])


def test_no_cells_call_nothing():
    node = reverse_blocks()
    assert block(node, (X,), ZRange((2, 1), (2, 3))).shape == (0, 2)


@pytest.mark.parametrize(
    "region",
    [
        Region([Progression(4, 1, 1), Progression(0, 1, 5)]),
        Region([Progression(0, 5, 2), Progression(3, 1, 2)]),
    ],
)
def test_a_region_takes_the_blocks_it_meets(region):
    node = reverse_blocks()
    restricted = node.operator.restrict(node.input_types, region)
    (part,) = restricted.inputs
    smaller = apply(restricted.operator, dt.asarray(np.ascontiguousarray(picked(X, part))).node)
    whole = by_blocks(node, (X,), 9)
    made = by_blocks(smaller, (np.ascontiguousarray(picked(X, part)),), 9)
    assert np.array_equal(made, picked(whole, restricted.yields))
    assert restricted.yields.hull(region) == restricted.yields


def test_all_blocks_or_none_are_no_restriction():
    node = reverse_blocks()
    assert node.operator.restrict(node.input_types, Region.whole((8, 5))) is None
    none = Region([Progression(0, 1, 0), Progression(0, 1, 5)])
    assert node.operator.restrict(node.input_types, none) is None


def test_groups_of_blocks():
    read = BlocksOf((Cuts.regular(10, 2),), (0,), (2,))
    assert [read.numbers((n,)) for n in range(3)] == [(range(2),), (range(2, 4),), (range(4, 5),)]
    assert read.box((range(2, 4),)) == ZRange((4,), (8,))
    assert replace(read, axes=(-1,)).numbers((0,)) == (range(5),)
    assert replace(read, lists=True).listed == (0,)
    assert read.listed == ()
