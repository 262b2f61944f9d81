from collections import Counter
from itertools import product
from math import prod
from random import Random

import pytest

from dask_tapestry.planner.access import overlaps as module
from dask_tapestry.planner.access.access import UncountableError
from dask_tapestry.planner.access.overlaps import Overlap, block_overlaps_of, combined, groups_of
from dask_tapestry.planner.access.pattern import Pattern, Steps
from dask_tapestry.zspace import Cuts, ZRange, block_box, block_range
from tests.planner.small_steps import random_cuts


def listed(pattern, cuts):
    """All overlaps, and the cells of each box's largest one."""
    found: Counter[Overlap] = Counter()
    largest = 0
    for box in pattern.boxes():
        parts = []
        for number in product(*block_range(cuts, box)):
            block = block_box(cuts, number)
            parts.append(block.intersection(box).size)
            found[Overlap(parts[-1], block.size)] += 1
        largest += max(parts)
    return found, largest


def random_pattern(random, extents):
    """Boxes that move within bounds, along one axis or several at a time."""
    lo, hi = [], []
    for n in extents:
        lo.append(random.randint(0, n - 1))
        hi.append(random.randint(lo[-1] + 1, n))
    steps = []
    for _ in range(random.randint(0, 2)):
        shift = tuple(random.choice((0, 0, 1, 2, 5, -1, -3)) for _ in extents)
        places = random.randint(2, 9)
        for axis, n in enumerate(shift):
            reach = n * (places - 1)
            lo[axis], hi[axis] = lo[axis] - min(0, reach), hi[axis] - min(0, reach)
        if any(shift):
            steps.append(Steps(shift, places))
    pattern = Pattern(ZRange(lo, hi), tuple(steps))
    return pattern, [
        b + sum(max(0, s.shift[a] * (s.places - 1)) for s in steps) for a, b in enumerate(hi)
    ]


def test_kinds_are_those_of_all_boxes():
    random = Random(1)
    for _ in range(300):
        pattern, extents = random_pattern(random, [random.randint(1, 30) for _ in range(2)])
        cuts = tuple(random_cuts(random, n) for n in extents)
        lying = block_overlaps_of(pattern, cuts)
        found = combined([group.kinds for group in lying]), prod([g.largest for g in lying])
        assert found == listed(pattern, cuts)


def test_axes_that_move_together_are_one_group():
    box = ZRange((0, 0, 0), (1, 1, 1))
    moving = Pattern(box, (Steps((1, 0, 1), 3), Steps((0, 2, 0), 3)))
    assert groups_of(moving) == [([0, 2], [0]), ([1], [1])]


def test_a_period_tells_all():
    cuts = (Cuts.regular(10**12, 10),)
    moving = Pattern(ZRange((0,), (4,)), (Steps((6,), 10**11),))
    ((kinds, largest),) = block_overlaps_of(moving, cuts)
    assert kinds == {Overlap(4, 10): 8 * 10**10, Overlap(2, 10): 4 * 10**10}
    assert largest == 4 * 8 * 10**10 + 2 * 2 * 10**10


def test_positions_that_recur_seldom_are_not_counted(monkeypatch):
    monkeypatch.setattr(module, "MOST_PLACES", 100)
    with pytest.raises(UncountableError, match="places"):
        block_overlaps_of(
            Pattern(ZRange((0,), (4,)), (Steps((6,), 150),)), (Cuts.regular(10**6, 1009),)
        )
