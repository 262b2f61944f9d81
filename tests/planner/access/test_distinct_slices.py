from random import Random

import pytest

from dask_tapestry.planner.access import distinct_slices as module
from dask_tapestry.planner.access.access import UncountableError
from dask_tapestry.planner.access.distinct_slices import distinct_slices
from dask_tapestry.planner.access.pattern import Pattern, Steps
from dask_tapestry.planner.access.read_counts import ReadCount
from dask_tapestry.zspace import Cuts, ZRange
from tests.planner.access.test_overlaps import random_pattern
from tests.planner.enumerated import counted_input
from tests.planner.small_steps import random_cuts


@pytest.fixture(autouse=True)
def _any_slice_saves_enough(monkeypatch):
    monkeypatch.setattr(module, "SLICE_SAVES_BYTES", 1)


def counted(pattern, cuts):
    return counted_input(dict.fromkeys(pattern.boxes(), 1), cuts, 1, 2, 1).slices


def test_different_parts_are_those_of_all_boxes():
    random = Random(2)
    for _ in range(300):
        pattern, extents = random_pattern(random, [random.randint(1, 20) for _ in range(2)])
        cuts = tuple(random_cuts(random, n) for n in extents)
        assert distinct_slices([ReadCount(pattern, 3)], cuts, 1) == counted(pattern, cuts)


def test_windows_that_hold_a_block_share_its_parts():
    cuts = (Cuts.regular(100, 10), Cuts.regular(100, 10))
    rows = Pattern(ZRange((0, 0), (50, 5)), (Steps((10, 0), 6),))
    assert distinct_slices([ReadCount(rows, 1)], cuts, 1) == 10
    assert distinct_slices([ReadCount(rows, 1), ReadCount(Pattern(rows.box, ()), 1)], cuts, 1) == 10


def test_many_windows_that_share_parts_are_not_counted(monkeypatch):
    monkeypatch.setattr(module, "MOST_PLACES", 20)
    cuts = (Cuts.regular(1000, 10), Cuts.regular(100, 10))
    rows = Pattern(ZRange((0, 0), (50, 5)), (Steps((10, 0), 90),))
    with pytest.raises(UncountableError, match="share parts"):
        distinct_slices([ReadCount(rows, 1)], cuts, 1)
    with pytest.raises(UncountableError, match="may be equal"):
        distinct_slices([ReadCount(rows, 1), ReadCount(Pattern(rows.box, ()), 1)], cuts, 1)
