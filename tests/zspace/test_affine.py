import pickle

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dask_tapestry.zspace import ZAffineMap, ZPoint, ZRange, ZVector

from .strategies import HUGE, NDIM, maps, ranges, vectors

HUGE_AT = maps(values=HUGE).flatmap(lambda f: st.tuples(st.just(f), vectors(f.in_ndim, HUGE)))
CHAINS = st.tuples(NDIM, NDIM, NDIM).flatmap(
    lambda n: st.tuples(
        maps(n[1], n[2], HUGE), maps(n[0], n[1], HUGE), vectors(n[0], HUGE), ranges(n[0], HUGE)
    )
)
SMALL_ON = maps().flatmap(lambda f: st.tuples(st.just(f), ranges(f.in_ndim)))


def bounding(points):
    """Return the bounding box of some points, by looking at each."""
    columns = list(zip(*points, strict=True))
    return ZRange(map(min, columns), [max(c) + 1 for c in columns])


@given(HUGE_AT)
def test_the_image_of_a_point(pair):
    f, p = pair
    image = [sum(a * x for a, x in zip(row, p, strict=True)) for row in f.matrix]
    assert f(p) == tuple(a + b for a, b in zip(image, f.offset, strict=True))
    assert type(f(p)) is ZPoint
    assert f.of_range(ZRange(p, [c + 1 for c in p])) == ZRange(f(p), [c + 1 for c in f(p)])


@given(SMALL_ON)
def test_the_image_of_a_range_is_the_bounding_box(pair):
    f, box = pair
    assume(not box.is_empty)
    assert f.of_range(box) == bounding([f(p) for p in box.points()])


@given(SMALL_ON)
def test_the_image_of_an_empty_range_is_empty(pair):
    f, box = pair
    assume(box.ndim and f.out_ndim)
    assert f.of_range(box.replace(0, box.lo[0], box.lo[0])).is_empty


@given(NDIM.flatmap(lambda n: ranges(n, HUGE)))
def test_identity(box):
    assert ZAffineMap.identity(box.ndim).of_range(box) == box
    assert ZAffineMap.identity(box.ndim)(box.lo) == box.lo


def test_an_empty_range_keeps_the_other_extents():
    box = ZRange((3, 0), (3, 5))
    assert ZAffineMap([[1, 0], [0, -1]], [0, 0]).of_range(box) == ZRange((3, -4), (3, 1))
    assert ZAffineMap([[0, 1]], [9]).of_range(box) == ZRange([9], [9])


@given(CHAINS)
def test_compose(chain):
    outer, inner, p, box = chain
    both = outer.compose(inner)
    assert both(p) == outer(inner(p))
    assert (both.in_ndim, both.out_ndim) == (inner.in_ndim, outer.out_ndim)
    if not box.is_empty:
        assert outer.of_range(inner.of_range(box)).contains(both.of_range(box))
    assert ZAffineMap.identity(outer.out_ndim).compose(both) == both
    assert both.compose(ZAffineMap.identity(both.in_ndim)) == both


@given(HUGE_AT)
def test_columns_are_the_steps(pair):
    f, p = pair
    for k in range(f.in_ndim):
        step = ZVector([int(i == k) for i in range(f.in_ndim)])
        assert f(ZPoint(p) + step) - f(p) == f.column(k)


@given(HUGE_AT, st.data())
def test_inputs_can_change(pair, data):
    f, p = pair
    order = data.draw(st.permutations(range(f.in_ndim)))
    assert f.permute_inputs(order)([p[k] for k in order]) == f(p)
    at = data.draw(st.integers(0, f.in_ndim))
    assert f.add_input(at)((*p[:at], data.draw(HUGE), *p[at:])) == f(p)
    assert f.add_input(at).pin_input(at, 7) == f
    for k in range(f.in_ndim):
        assert f.pin_input(k, p[k])((*p[:k], *p[k + 1 :])) == f(p)


@given(HUGE_AT, st.data())
def test_outputs_can_change(pair, data):
    f, p = pair
    order = data.draw(st.permutations(range(f.out_ndim)))
    assert f.permute_outputs(order)(p) == tuple(f(p)[k] for k in order)
    at = data.draw(st.integers(0, f.out_ndim))
    row, offset = data.draw(vectors(f.in_ndim, HUGE)), data.draw(HUGE)
    longer = f.add_output(at, row, offset)
    assert longer.drop_output(at) == f
    assert longer(p)[at] == ZAffineMap([row], [offset])(p)[0]
    assert f.add_output(at, offset=offset)(p)[at] == offset
    delta = data.draw(vectors(f.out_ndim, HUGE))
    assert f.translate(delta)(p) == f(p) + ZVector(delta)


@given(SMALL_ON)
def test_monotone_maps_send_corners_to_corners(pair):
    f, box = pair
    assert f.is_monotone == all(c >= 0 for row in f.matrix for c in row)
    if f.is_monotone and not box.is_empty:
        last = [c - 1 for c in box.hi]
        assert f.of_range(box) == ZRange(f(box.lo), [c + 1 for c in f(last)])


def test_no_inputs_and_no_outputs():
    constant = ZAffineMap([(), ()], [3, 4])
    assert (constant.in_ndim, constant.out_ndim) == (0, 2)
    assert constant(()) == (3, 4)
    assert constant.of_range(ZRange((), ())) == ZRange((3, 4), (4, 5))
    nothing = ZAffineMap((), (), in_ndim=2)
    assert (nothing.in_ndim, nothing.out_ndim) == (2, 0)
    assert nothing((5, 6)) == ()
    assert nothing.of_range(ZRange.of_shape((2, 0))) == ZRange((), ())
    assert nothing.compose(constant) == ZAffineMap((), (), 0)
    assert constant.compose(ZAffineMap((), (), 3)) == ZAffineMap([[0] * 3] * 2, [3, 4])


@given(maps(values=HUGE))
def test_value(f):
    same = ZAffineMap([list(row) for row in f.matrix], list(f.offset), f.in_ndim)
    assert (f, hash(f)) == (same, hash(same))
    assert eval(repr(f)) == pickle.loads(pickle.dumps(f)) == f
    with pytest.raises(AttributeError):
        f.offset = ()


def test_prints():
    f = ZAffineMap([[1, -1, 0], [0, 0, 0], [-2, 3, 0], [0, 0, 1]], [-7, 0, 4, 0])
    assert str(f) == "(i0, i1, i2) -> (i0 - i1 - 7, 0, -2*i0 + 3*i1 + 4, i2)"
    assert str(ZAffineMap((), (), 0)) == "() -> ()"


F = ZAffineMap([[1, 2]], [3])


@pytest.mark.parametrize(
    ("mistake", "text"),
    [
        (lambda: ZAffineMap([[1, 2], [1]], [0, 0]), r"matrix\[1\] has 1 dimensions where 2"),
        (lambda: ZAffineMap([[1]], [0], in_ndim=2), r"matrix\[0\] has 1 dimensions where 2"),
        (lambda: ZAffineMap([[1]], [0, 0]), "offset has 2 dimensions where 1"),
        (lambda: ZAffineMap((), ()), "give in_ndim"),
        (lambda: ZAffineMap((), (), -1), "in_ndim must not be negative, got -1"),
        (lambda: F((1,)), "point has 1 dimensions where 2"),
        (lambda: F.of_range(ZRange([0], [1])), "range has 1 dimensions where 2"),
        (lambda: F.compose(F), "the output of the inner map has 1 dimensions where 2"),
        (lambda: F.translate((1, 1)), "vector has 2 dimensions where 1"),
        (lambda: F.permute_inputs((0,)), "permutation of 2"),
        (lambda: F.permute_outputs((1,)), "permutation of 1"),
        (lambda: F.pin_input(2, 0), "dim must be at least 0 and below 2, got 2"),
        (lambda: F.add_input(3), "position must be at least 0 and below 3, got 3"),
        (lambda: F.add_output(0, [1]), r"matrix\[0\] has 1 dimensions where 2"),
        (lambda: F.drop_output(1), "position must be at least 0 and below 1"),
        (lambda: F.column(-1), "dim must be at least 0"),
    ],
)
def test_mistakes_are_named(mistake, text):
    with pytest.raises(ValueError, match=text):
        mistake()


def test_only_integers():
    with pytest.raises(TypeError, match=r"matrix\[0\]\[1\] must be an integer"):
        ZAffineMap([[1, 2.0]], [0])
    with pytest.raises(TypeError, match=r"offset\[0\] must be an integer"):
        ZAffineMap([[1]], [True])
