from collections import Counter
from itertools import product
from random import Random

import pytest

import dask_tapestry as dt
from dask_tapestry.plan.access import pattern as module
from dask_tapestry.plan.access.access import Access, UncountableError
from dask_tapestry.plan.access.pattern import (
    Pattern,
    Steps,
    few_places,
    may_share,
    pattern_of,
    shares_of,
    swept,
)
from dask_tapestry.plan.fusion.group import group_of
from dask_tapestry.zspace import Cuts, ZRange, block_box

ROW = Pattern(ZRange((0,), (5,)), (Steps((20,), 3),))


def square(*sides, extent=60):
    return tuple(Cuts.regular(extent, side) for side in sides)


def test_a_pattern_knows_its_boxes():
    assert [box.lo for box in ROW.boxes()] == [(0,), (20,), (40,)]
    assert ROW.places == 3
    assert ROW.holds(ZRange((40,), (45,)))
    assert not ROW.holds(ZRange((60,), (65,)))
    assert not ROW.holds(ZRange((10,), (15,)))
    assert swept(ROW) == ZRange((0,), (45,))
    assert swept(Pattern(ZRange((40,), (45,)), (Steps((-20,), 3),))) == ZRange((0,), (45,))


def test_boxes_of_several_ways_are_found_by_trying():
    many = Pattern(ZRange((0,), (1,)), (Steps((3,), 4), Steps((5,), 3)))
    assert {box.lo[0] for box in many.boxes()} == {
        n for n in range(20) if many.holds(ZRange((n,), (n + 1,)))
    }


def test_ways_in_which_nothing_moves_are_times():
    box = ZRange((0, 0), (5, 5))
    assert pattern_of(box, [((0, 0), 7), ((5, 0), 3), ((9, 9), 1)]) == (
        Pattern(box, (Steps((5, 0), 3),)),
        7,
    )


def test_boxes_without_cells_are_one():
    empty, times = pattern_of(ZRange((3,), (3,)), [((5,), 4)])
    assert (empty, times) == (Pattern(ZRange((0,), (0,)), ()), 4)


@pytest.mark.parametrize("sides", [(10, 10), (20, 15), (7, 60)])
def test_shares_are_the_boxes_of_all_blocks(sides):
    x = dt.placeholder((60, 60), "f8") + 1
    program = group_of((x + x.T).node, {x.node}).program
    cuts = square(*sides)
    read = Counter(
        box
        for index in product(*[range(c.count) for c in cuts])
        for box in program.input_boxes(block_box(cuts, index))[0]
    )
    found: Counter[ZRange] = Counter()
    for share in shares_of(Access(program, cuts), 0):
        for box in share.pattern.boxes():
            found[box] += share.times
    assert +found == read


def test_patterns_may_share_boxes_of_their_shape_that_meet():
    random = Random(0)
    for _ in range(200):
        p, q = (
            Pattern(
                ZRange((start := random.randint(0, 9),), (start + random.randint(1, 2),)),
                (Steps((random.choice((-3, 1, 2, 4)),), random.randint(1, 4)),),
            )
            for _ in range(2)
        )
        if set(p.boxes()) & set(q.boxes()):
            assert may_share(p, q)
    assert not may_share(ROW, Pattern(ZRange((1,), (6,)), ROW.steps))


def test_few_boxes_are_looked_at(monkeypatch):
    monkeypatch.setattr(module, "MOST_LISTED", 5)
    few_places([ROW])
    with pytest.raises(UncountableError, match="6 boxes"):
        few_places([ROW, ROW])
