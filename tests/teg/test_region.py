import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from dask_tapestry.teg import Progression, Region
from dask_tapestry.zspace import IndexProjection, ZRange

PROGRESSIONS = st.builds(Progression.of, st.integers(0, 12), st.integers(1, 5), st.integers(0, 5))


def coordinates(p):
    return [p.start + p.step * i for i in range(p.count)]


@given(st.integers(-9, 9), st.integers(-5, 5).filter(bool), st.integers(0, 6))
def test_any_step_gives_the_same_coordinates_forwards(start, step, count):
    p = Progression.of(start, step, count)
    assert coordinates(p) == sorted(start + step * i for i in range(count))
    assert p.step > 0
    assert p.stop == (max(coordinates(p)) + 1 if count else p.start)


@given(PROGRESSIONS, st.integers(0, 8))
def test_whole_means_every_coordinate(p, extent):
    assert p.is_whole(extent) == (coordinates(p) == list(range(extent)))


@given(PROGRESSIONS, PROGRESSIONS)
def test_two_meet_where_they_hold_one_coordinate(a, b):
    assert a.meets(b) == bool({*coordinates(a)} & {*coordinates(b)})


@given(PROGRESSIONS, PROGRESSIONS)
def test_the_hull_holds_both_and_is_the_smallest(a, b):
    both = {*coordinates(a), *coordinates(b)}
    hull = a.hull(b)
    assert set(coordinates(hull)) >= both
    if both:
        assert (min(both), max(both)) == (hull.start, hull.stop - 1)
        gaps = np.diff(sorted(both))
        assert hull.step == (np.gcd.reduce(gaps) if len(gaps) else 1)
    assert b.hull(a) == hull or not both


@given(PROGRESSIONS, st.data())
def test_a_position_counts_in_steps_of_what_holds_it(outer, data):
    held = coordinates(outer)
    start = data.draw(st.integers(0, max(len(held) - 1, 0)))
    pace = data.draw(st.integers(1, 3))
    places = list(range(start, len(held), pace))
    assume(len(places) > 0)
    inner = Progression.of(held[start], outer.step * pace, len(places))
    assert coordinates(outer.position(inner)) == places


@given(PROGRESSIONS, PROGRESSIONS)
def test_both_have_a_position_in_their_hull(a, b):
    hull = a.hull(b)
    for part in (a, b):
        inside = coordinates(hull.position(part))
        assert [coordinates(hull)[i] for i in inside] == coordinates(part)


@given(st.lists(PROGRESSIONS, max_size=3), st.data())
def test_regions_are_taken_axis_by_axis(parts, data):
    others = [data.draw(PROGRESSIONS) for _ in parts]
    a, b = Region(parts), Region(others)
    assert a.shape == tuple(p.count for p in parts)
    assert a.is_empty == (0 in a.shape)
    if not a.is_empty and not b.is_empty:
        assert a.hull(b) == Region(p.hull(q) for p, q in zip(parts, others, strict=True))
        assert a.hull(b).position(a).shape == a.shape


def test_the_hull_with_an_empty_region_is_the_other():
    full, empty = Region.whole((2, 3)), Region([Progression(0, 1, 0), Progression(0, 1, 3)])
    assert full.hull(empty) == empty.hull(full) == full


def test_a_box_is_a_region_of_steps_of_one():
    assert repr(Region.box(ZRange((1, 4), (3, 9)))) == "Region[1:3:1, 4:9:1]"
    assert Region.whole((2, 0)).is_whole((2, 0))


WINDOW = IndexProjection(((1, 0), (0, 0)), (0, 0), (1, 4))


def test_a_pointwise_axis_takes_the_progression_of_its_dimension():
    index = [Progression(1, 2, 2), Progression(0, 1, 3)]
    assert repr(Region.project(WINDOW, index, (5, 4))) == "Region[1:4:2, 0:4:1]"


def test_a_window_that_moves_must_be_read_whole():
    moving = IndexProjection(((2,),), (0,), (2,))
    assert Region.project(moving, [Progression(0, 1, 3)], (6,)) == Region.whole((6,))
    assert Region.project(moving, [Progression(1, 1, 2)], (6,)) is None
    assert Region.project(moving, [Progression(0, 1, 2)], (6,)) is None
