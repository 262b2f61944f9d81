from random import Random

from dask_tapestry.planner.access.pattern import Pattern, Steps
from dask_tapestry.planner.access.pattern_pairs import PatternPairs
from dask_tapestry.zspace import Cuts, ZRange, block_box

ROW = Pattern(ZRange((0,), (5,)), (Steps((20,), 3),))


def some(random, ndim, count):
    found = []
    for _ in range(count):
        lo = [random.randint(0, 9) for _ in range(ndim)]
        box = ZRange(lo, [a + random.randint(1, 2) for a in lo])
        shift = tuple([random.choice((-3, 0, 1, 2, 4)) for _ in range(ndim)])
        found.append(Pattern(box, (Steps(shift, random.randint(1, 4)),)))
    return found


def test_patterns_with_a_box_in_common_are_found():
    random, seen = Random(0), 0
    for _ in range(100):
        patterns = some(random, random.choice((1, 2)), 5)
        pairs = PatternPairs(patterns)
        for number, pattern in enumerate(patterns):
            alike = {n for n in range(number) if {*patterns[n].boxes()} & {*pattern.boxes()}}
            assert alike <= set(pairs.sharing(number))
            seen += len(alike)
    assert seen > 50
    other = Pattern(ZRange((1,), (6,)), ROW.steps)
    assert PatternPairs([ROW, other]).sharing(1) == []
    assert PatternPairs([ROW, ROW]).sharing(1) == [0]


def test_patterns_that_are_apart_have_no_part_of_a_block_in_common():
    random, apart = Random(1), 0
    for _ in range(120):
        patterns = some(random, 2, 2)
        extent = 60
        cuts = tuple([Cuts.regular(extent, random.randint(1, 9)) for _ in range(2)])
        shortest = [min(cut.lengths()) for cut in cuts]
        moved = [
            p._replace(box=ZRange([a + 20 for a in p.box.lo], [a + 20 for a in p.box.hi]))
            for p in patterns
        ]
        parts = [
            {
                (index, block_box(cuts, index).intersection(box))
                for box in p.boxes()
                for index in ((i, j) for i in range(cuts[0].count) for j in range(cuts[1].count))
                if not block_box(cuts, index).intersection(box).is_empty
            }
            for p in moved
        ]
        if PatternPairs(moved).are_apart(1, shortest):
            apart += 1
            assert not parts[0] & parts[1]
    assert apart > 20


def test_extents_may_be_beyond_64_bits():
    far = Pattern(ZRange((10**30,), (10**30 + 5,)), (Steps((20,), 3),))
    pairs = PatternPairs([ROW, far, far])
    assert pairs.sharing(1) == []
    assert pairs.sharing(2) == [1]
    assert pairs.are_apart(1, [10])
    assert not pairs.are_apart(2, [10])


def test_points_are_one_box():
    point = Pattern(ZRange((), ()), ())
    assert PatternPairs([point, point]).sharing(1) == [0]
