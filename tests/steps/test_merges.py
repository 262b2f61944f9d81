"""Merges: which partial results become which, and how many wait."""

import numpy as np

import dask_tapestry as dt
from dask_tapestry.cells import Lattice, Tree
from dask_tapestry.operators.reductions.reduce import Reduce
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.merges import merges_of
from dask_tapestry.teg import apply
from dask_tapestry.zspace import ZRange


def merges(length, monoid, dtype, level=0):
    """The merges of nodes at a level of a fold over single planes."""
    x = dt.placeholder((length, 6), dtype)
    tree = Tree((length,), lattice=Lattice((1,), (0,)))
    total = apply(Reduce(monoid, (0,), tree, np.dtype(dtype), np.dtype(dtype)), x.node)
    program = group_of(total, {x.node}).program
    turns = total.operator.turns(total.input_types)
    return merges_of(program, ZRange((0,), (6,)), turns.merging(level))


def test_the_last_two_wait_where_order_is_fixed():
    first, nodes, found, then = merges(13, "sum", "f8")
    assert first.type.shape == (13, 6)
    assert nodes == ZRange((0, 0), (13, 6))
    assert found.roots == ZRange((0, 0), (2, 6))
    assert [found.root_of(number) for number in range(13)] == [0] * 8 + [1] * 5
    assert found.kept == 3 + 2 + 1  # one of each level, the first root, and what comes
    assert then.type.shape == (6,)


def test_one_waits_where_order_is_free():
    _, _, found, _ = merges(13, "sum", "i8")
    assert found.freely
    assert found.roots.shape == (1, 6)
    assert found.kept == 2


def test_levels_end_with_single_ones():
    _, _, found, _ = merges(13, "sum", "f8")
    assert found.joins(0)
    assert [found.is_last(0, number) for number in (11, 12)] == [False, True]
    assert found.is_last(1, 6)
    assert found.first_pair == 0
    assert found.box(3) == ZRange((3, 0), (4, 6))


def test_what_a_merge_takes():
    _, _, found, _ = merges(13, "sum", "f8")
    assert found.merging_bytes == 2 * 6 * 8  # the merged one, and what its kernel takes


def test_the_last_two_are_not_merged_before():
    total = dt.ones((4096, 4096)).sum(axis=0).node
    turns = total.operator.turns(total.input_types)
    assert turns.merging(turns.sizes[0]) is None
