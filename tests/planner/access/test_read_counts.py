from collections import Counter
from itertools import product

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.access import read_counts as module
from dask_tapestry.planner.access.access import Access, UncountableError
from dask_tapestry.planner.access.pattern import Pattern, Steps
from dask_tapestry.planner.access.read_counts import few_places, read_counts_of
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.zspace import Cuts, ZRange, block_box

ROW = Pattern(ZRange((0,), (5,)), (Steps((20,), 3),))


def square(*sides, extent=60):
    return tuple(Cuts.regular(extent, side) for side in sides)


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
    for share in read_counts_of(Access(program, cuts), 0):
        for box in share.pattern.boxes():
            found[box] += share.times
    assert +found == read


def test_few_boxes_are_looked_at(monkeypatch):
    monkeypatch.setattr(module, "MOST_LISTED_BOXES", 5)
    few_places([ROW])
    with pytest.raises(UncountableError, match="6 boxes"):
        few_places([ROW, ROW])
