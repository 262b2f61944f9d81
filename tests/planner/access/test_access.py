from itertools import product
from math import prod
from random import Random
from weakref import ref

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.access import moving_box_overlap
from dask_tapestry.planner.access.access import Access
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps import boxes
from dask_tapestry.zspace import Cuts, block_box
from tests.planner.small_steps import random_step

SEEDS = 250
MOST_BLOCKS = 400
CHUNKS = {0: 20, 1: 20}


def fused(x):
    """The program that computes an array from its sources."""
    return group_of(x.node, set()).program


def grid(*sides, extent=1000):
    return tuple(Cuts.regular(extent, side) for side in sides)


def compare(one, cuts):
    """Compare an access with what each block reads; return its number of classes."""
    access = Access(one, cuts)
    for index in product(*[range(c.count) for c in cuts]):
        assert access.boxes(index) == one.input_boxes(block_box(cuts, index)), (index, cuts)
    counts: dict[int, int] = {}
    for index in product(*[range(c.count) for c in cuts]):
        leaf, _ = access.leaf(index)
        counts[id(leaf)] = counts.get(id(leaf), 0) + 1
    assert [leaf.domain.count for leaf in access.leaves] == [
        counts[id(leaf)] for leaf in access.leaves
    ]
    for found in access.classes:
        assert access.schedule(found.index) == one.schedule(block_box(cuts, found.index))
    return len(access.classes)


@pytest.mark.parametrize("few", [boxes.FEW_BOX_CELLS, 1])
def test_boxes_are_those_of_each_block(monkeypatch, few):
    monkeypatch.setattr(boxes, "FEW_BOX_CELLS", few)
    monkeypatch.setattr(moving_box_overlap, "FEW_BOX_CELLS", few)
    for seed in range(SEEDS):
        one, cuts = random_step(Random(few * SEEDS + seed))
        if prod(c.count for c in cuts) <= MOST_BLOCKS:
            compare(one, cuts)


def test_classes_do_not_grow_with_the_blocks():
    x = dt.placeholder((10**6, 10**6), "f8")
    padded = dt.pad(x, 1)
    heat = padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
    for side in (10**5, 10**3, 10):
        access = Access(fused(heat), grid(side, side, extent=10**6))
        assert len(access.classes) == 9
        assert sum(found.count for found in access.classes) == (10**6 // side) ** 2


def test_blocks_on_the_diagonal_are_a_class():
    x = dt.placeholder((1000, 1000), "f8")
    access = Access(fused(x + x.T), grid(50, 50))
    assert sorted(found.count for found in access.classes) == [20, 380]
    assert compare(fused(x + x.T), grid(100, 70)) < 30


def test_an_operator_that_declares_nothing_has_a_class_for_each_block():
    x = dt.cumsum(dt.placeholder((1000,), "f8"))
    access = Access(fused(x), grid(100))
    assert [found.count for found in access.classes] == [1] * 10


def test_blocks_of_a_reshape_recur_with_its_rows():
    x = dt.placeholder((100, 30), "f8").reshape(3000)
    assert compare(fused(x), (Cuts.regular(3000, 10),)) == 3
    assert compare(fused(x), (Cuts.regular(3000, 60),)) == 1


def test_irregular_cuts_are_classes_by_rows_of_one_length():
    cuts = (Cuts(10, 0, 0, (0, 1, 4, 7, 10)),)
    assert compare(fused(dt.placeholder((10,), "f8") + 1), cuts) == 2


def test_it_is_remembered():
    one = fused(dt.placeholder((10,), "f8") + 1)
    assert Access.of(one, grid(5, extent=10)) is Access.of(one, grid(5, extent=10))


def test_a_program_that_nobody_holds_is_gone_at_once():
    """In a circle with what is known of it, it would stay until all objects are looked at."""
    x = dt.placeholder((1000, 1000), "f8")
    node = (x + x.T + x[::-1]).node
    one = group_of(node, set()).own
    assert len(Access.of(one, grid(100, 100)).leaves) > 1
    gone = ref(one)
    del one
    assert gone() is None
