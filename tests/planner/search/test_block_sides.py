"""What blocks read of a value, and how far neighbours begin from each other."""

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search.block_sides import (
    ReadSides,
    least_of,
    sides_held,
    sides_read,
    sides_together,
)
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.zspace import Cuts
from tests.planner.graphs import FOUR, stored
from tests.planner.spaces import space_of

X = stored((4000, 3000), chunks=(500, 500))
GRID = (Cuts.regular(4000, 800), Cuts.regular(3000, 600))


def placed(y, *held):
    """The last step of a plan with that grid, and the value that is read."""
    space = space_of(y, resources=FOUR)
    node, (root,) = X.node, space.graph.roots
    state = space.state(Choices(held=frozenset(held), grids={root: GRID}))
    return node, state.placed[root]


READS = {
    "cells": (lambda x: x + 1, (800, 600), (800, 600)),
    "neighbours": (lambda x: x + dt.roll(x, 2, 0) + dt.roll(x, -1, 0), (803, 600), (800, 600)),
    "both": (lambda x: dt.roll(x, 1, 0) + dt.roll(x, -3, 1) + x, (801, 603), (800, 600)),
    "turned": (lambda x: dt.flip(x, 1) + 0, (800, 600), (800, 600)),
}


@pytest.mark.parametrize("job", READS)
def test_sides_of_what_blocks_read_of_a_source(job):
    make, sides, apart = READS[job]
    assert sides_read(*placed(make(X))) == ReadSides(sides, apart)


def test_sides_of_what_is_held():
    y = X + dt.roll(X, 1, 0)
    node, step = placed(y, X.node)
    assert sides_held(node, step) == ReadSides((801, 600), (800, 600))
    assert sides_together(step) == (1, 1)


def test_a_block_without_neighbours_is_as_far_apart_as_it_is_long():
    space = space_of(X + dt.roll(X, 1, 0), resources=FOUR)
    (root,) = space.graph.roots
    whole = (Cuts.regular(4000, 4000), Cuts.regular(3000, 600))
    state = space.state(Choices(grids={root: whole}))
    assert sides_read(X.node, state.placed[root]) == ReadSides((4000, 600), (4000, 600))


def test_the_shortest_of_several():
    assert least_of([ReadSides((9, 4), (8, 4)), ReadSides((6, 7), (6, 5))]) == ReadSides(
        (6, 4), (6, 4)
    )
