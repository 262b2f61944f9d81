import pickle
import time
import timeit

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.zspace import ZPoint, ZRange, ZVector

from .strategies import HUGE, NDIM, pairs, ranges, vectors

SMALL_RANGES = NDIM.flatmap(ranges)
HUGE_RANGES = NDIM.flatmap(lambda n: ranges(n, HUGE))
WITH_AXIS = st.integers(1, 3).flatmap(lambda n: st.tuples(ranges(n, HUGE), st.integers(0, n - 1)))


def cells(box):
    return set(box.points())


@given(SMALL_RANGES)
def test_the_points_are_counted(box):
    around = ZRange([lo - 1 for lo in box.lo], [hi + 1 for hi in box.hi])
    inside = [p for p in around.points() if p in box]
    assert inside == list(box.points())
    assert box.size == len(inside)
    assert box.is_empty == (not inside)


@given(pairs())
def test_intersection_holds_the_common_points(pair):
    a, b = pair
    common = a.intersection(b)
    assert cells(common) == cells(a) & cells(b)
    assert a.contains(common)
    assert b.contains(common)
    if common.is_empty:
        assert common == ZRange(a.lo, a.lo)


@given(pairs())
def test_contains_is_subset(pair):
    a, b = pair
    assert a.contains(b) == (b in a) == (cells(b) <= cells(a))


@given(pairs())
def test_hull_is_the_bounding_box(pair):
    a, b = pair
    points = cells(a) | cells(b)
    if a.is_empty or b.is_empty:
        assert a.hull(b) == (b if a.is_empty else a)
    else:
        columns = list(zip(*points, strict=True))
        assert a.hull(b) == ZRange(map(min, columns), [max(c) + 1 for c in columns])


@given(pairs(HUGE))
def test_laws_of_pairs(pair):
    a, b = pair
    assert a.intersection(a) == (ZRange(a.lo, a.lo) if a.is_empty else a)
    assert a.hull(a) == a
    assert a.hull(b).contains(a)
    assert a.hull(b).contains(b)
    assert a.intersection(b).size == b.intersection(a).size
    assert a.intersection(b).size <= min(a.size, b.size)
    assert (a.hull(b) == a) == a.contains(b) or a.is_empty


@given(NDIM.flatmap(lambda n: st.tuples(ranges(n, HUGE), vectors(n, HUGE))))
def test_translate(pair):
    box, v = pair
    moved = box.translate(ZVector(v))
    assert moved.shape == box.shape
    assert moved.translate(-ZVector(v)) == box
    assert ZPoint(moved.lo) - ZPoint(box.lo) == v


@given(WITH_AXIS, st.data())
def test_split_and_replace(chosen, data):
    box, axis = chosen
    at = data.draw(st.integers(box.lo[axis], box.hi[axis]))
    left, right = box.split(axis, at)
    assert left.size + right.size == box.size
    assert left.hi[axis] == right.lo[axis] == at
    assert left.replace(axis, box.lo[axis], box.hi[axis]) == box
    assert right.replace(axis, box.lo[axis], box.hi[axis]) == box


@given(WITH_AXIS, st.integers(1, 5))
def test_cut_tiles(chosen, count):
    box, axis = chosen
    extent = box.shape[axis]
    step = max(1, extent // count)
    pieces = list(box.cut(axis, step))
    assert len(pieces) == -(-extent // step)
    assert all(piece.shape[axis] == step for piece in pieces[:-1])
    assert not any(piece.shape[axis] == 0 for piece in pieces)
    edges = [box.lo[axis], *[piece.hi[axis] for piece in pieces]]
    assert [piece.lo[axis] for piece in pieces] == edges[:-1]
    assert edges[-1] == box.hi[axis]
    assert all(piece.replace(axis, box.lo[axis], box.hi[axis]) == box for piece in pieces)


def test_cut_of_a_huge_axis_is_lazy():
    assert next(ZRange.of_shape([2**80]).cut(0, 2)) == ZRange([0], [2])


@given(HUGE_RANGES, st.data())
def test_project_and_embed(box, data):
    order = data.draw(st.permutations(range(box.ndim)))
    turned = box.project(order)
    assert turned.size == box.size
    assert turned.project([order.index(k) for k in range(box.ndim)]) == box
    axis = data.draw(st.integers(0, box.ndim))
    longer = box.embed(axis, 5, 7)
    assert longer.size == 2 * box.size
    assert longer.project([k for k in range(longer.ndim) if k != axis]) == box
    assert longer.project([axis]) == ZRange([5], [7])


@given(NDIM.flatmap(lambda n: st.tuples(ranges(n), ranges(n))))
def test_slices_select_the_points(pair):
    frame, other = pair
    held = np.empty(frame.shape, dtype=object)
    for p in frame.points():
        held[p - ZPoint(frame.lo)] = p
    part = frame.intersection(other)
    assert held[(..., *part.slices(frame))].shape == part.shape
    assert set(held[(..., *part.slices(frame))].ravel()) == cells(part)
    if frame.contains(other):
        assert set(held[(..., *other.slices(frame))].ravel()) == cells(other)


@given(HUGE_RANGES)
def test_slices_of_itself(box):
    assert box.slices(box) == ZRange.of_shape(box.shape).slices()
    assert box.slices(box) == tuple(slice(0, extent) for extent in box.shape)


def test_slices_outside():
    with pytest.raises(ValueError, match=r"cannot select \[-1:2\] in an array that starts at"):
        ZRange([-1], [2]).slices()
    with pytest.raises(ValueError, match=r"cannot select \[0:5\] in \[0:4\]: it is not inside"):
        ZRange([0], [5]).slices(ZRange([0], [4]))
    assert ZRange([-9, 0], [-9, 4]).slices() == (slice(0, 0), slice(0, 0))


@given(HUGE_RANGES)
def test_value(box):
    same = ZRange(list(box.lo), list(box.hi))
    assert (box, hash(box)) == (same, hash(same))
    assert eval(repr(box)) == pickle.loads(pickle.dumps(box)) == box
    assert box != (box.lo, box.hi)


def test_prints():
    assert str(ZRange((0, 2), (4, 9))) == "[0:4, 2:9]"
    assert repr(ZRange((0, 2), (4, 9))) == "ZRange((0, 2), (4, 9))"
    assert str(ZRange((), ())) == "[]"


def test_zero_dimensions_hold_one_point():
    point = ZRange((), ())
    assert (point.size, point.shape, point.is_empty) == (1, (), False)
    assert list(point.points()) == [()]
    assert () in point
    assert point.slices() == ()
    assert point.intersection(point) == point.hull(point) == point.translate(()) == point


def test_an_empty_range_is_contained_in_everything():
    empty = ZRange([50], [50])
    assert empty in ZRange.of_shape([2])
    assert empty in ZRange.of_shape([0])
    assert ZRange.of_shape([2]) not in empty


def test_corners_are_plain_tuples_of_int():
    box = ZRange(ZPoint((0, 1)), np.array([4, 5]))
    assert type(box.lo) is type(box.hi) is tuple
    assert {type(c) for c in (*box.lo, *box.hi)} == {int}


def test_it_is_immutable_and_cannot_be_iterated():
    box = ZRange([0], [1])
    with pytest.raises(AttributeError):
        box.lo = (1,)
    with pytest.raises(TypeError):
        iter(box)


BOX = ZRange((0, 0), (4, 4))
LINE = ZRange((0,), (4,))


@pytest.mark.parametrize(
    ("mistake", "text"),
    [
        (lambda: ZRange((0, 5), (4, 3)), "hi must not be below lo, but dimension 1 is 5:3"),
        (lambda: ZRange.of_shape((2, -1)), "dimension 1 is 0:-1"),
        (lambda: ZRange((0,), (4, 3)), "hi has 2 dimensions where 1 are expected"),
        (lambda: BOX.intersection(LINE), "range has 1 dimensions where 2"),
        (lambda: BOX.hull(LINE), "range has 1 dimensions where 2"),
        (lambda: BOX.contains(LINE), "range has 1 dimensions where 2"),
        (lambda: (1,) in BOX, "point has 1 dimensions where 2"),
        (lambda: BOX.translate((1,)), "vector has 1 dimensions where 2"),
        (lambda: BOX.slices(LINE), "relative_to has 1 dimensions where 2"),
        (lambda: BOX.split(2, 0), "axis must be at least 0 and below 2, got 2"),
        (lambda: BOX.split(0, 5), r"cannot split \[0:4, 0:4\] at 5 of axis 0"),
        (lambda: BOX.cut(0, 0), "step must be at least 1, got 0"),
        (lambda: BOX.cut(-1, 1), "axis must be at least 0"),
        (lambda: BOX.replace(1, 3, 2), "dimension 1 is 3:2"),
        (lambda: BOX.embed(3), "axis must be at least 0 and below 3, got 3"),
        (lambda: BOX.project((0, 0)), "axes must be different"),
        (lambda: BOX.points("A"), "order must be 'C', 'F' or"),
        (lambda: BOX.points((0,)), "order must be a permutation of 2 axes"),
    ],
)
def test_mistakes_are_named(mistake, text):
    with pytest.raises(ValueError, match=text):
        mistake()


@pytest.mark.parametrize("corner", [[True], [0.0], "0", 0])
def test_only_integers(corner):
    with pytest.raises(TypeError, match="lo"):
        ZRange(corner, [1])
    with pytest.raises(TypeError, match="point"):
        assert corner in LINE


def test_it_pickles_small():
    assert len(pickle.dumps(ZRange((0, 2), (4, 9)))) < 80


def test_it_is_cheap_to_make():
    # .8 us where this was written; the bound only catches another order of magnitude
    make = timeit.Timer(lambda: ZRange((0, 2), (4, 9)), timer=time.thread_time)
    seconds = min(make.repeat(number=2000, repeat=5))
    assert seconds / 2000 < 15e-6
