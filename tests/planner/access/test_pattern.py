from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from dask_tapestry.planner.access.pattern import (
    Pattern,
    Steps,
    pattern_of,
    swept_hull,
)
from dask_tapestry.zspace import ZRange

ROW = Pattern(ZRange((0,), (5,)), (Steps((20,), 3),))


def test_a_pattern_knows_its_boxes():
    assert [box.lo for box in ROW.boxes()] == [(0,), (20,), (40,)]
    assert ROW.places == 3
    assert ROW.holds(ZRange((40,), (45,)))
    assert not ROW.holds(ZRange((60,), (65,)))
    assert not ROW.holds(ZRange((10,), (15,)))
    assert swept_hull(ROW) == ZRange((0,), (45,))
    assert swept_hull(Pattern(ZRange((40,), (45,)), (Steps((-20,), 3),))) == ZRange((0,), (45,))


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


@settings(deadline=None)
@given(st.data())
def test_a_pattern_holds_its_boxes_and_no_others(data):
    """Steps along one axis in any order, forwards and back, also such that overlap."""
    shift = st.tuples(st.integers(-9, 9), st.integers(-3, 3)).filter(any)
    ways = data.draw(st.lists(st.tuples(shift, st.integers(2, 5)), max_size=3))
    many = Pattern(ZRange((0, 0), (1, 1)), tuple(Steps(*way) for way in ways))
    boxes = set(many.boxes())
    for lo in product(range(-40, 41, 3), range(-9, 10)):
        box = ZRange(lo, tuple(n + 1 for n in lo))
        assert many.holds(box) == (box in boxes)
