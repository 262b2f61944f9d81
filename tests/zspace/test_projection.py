import pickle

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dask_tapestry.zspace import IndexProjection, ZAffineMap, ZPoint, ZRange, ZVector

from .strategies import HUGE, maps, projections, ranges, vectors
from .test_affine import bounding

ON_RANGES = projections().flatmap(lambda f: st.tuples(st.just(f), ranges(f.in_ndim)))
HUGE_AT = projections(HUGE).flatmap(lambda f: st.tuples(st.just(f), vectors(f.in_ndim, HUGE)))


def window(projection, point):
    """Return the cells of a point, straight from the definition."""
    first = projection.affine(point)
    cells = ZRange.of_shape(projection.shape).points()
    stride = projection.stride
    return {first + ZVector([s * c for s, c in zip(stride, e, strict=True)]) for e in cells}


def selected(projection, box):
    return {cell for point in box.points() for cell in window(projection, point)}


@given(ON_RANGES)
def test_boxes_are_bounding_boxes(pair):
    projection, box = pair
    cells = selected(projection, box)
    if cells:
        assert projection.of_range(box) == bounding(cells)
    elif projection.out_ndim:
        assert projection.of_range(box).is_empty


@given(HUGE_AT)
def test_a_point_is_a_range_of_one(pair):
    projection, point = pair
    one = ZRange(point, [c + 1 for c in point])
    assert projection.of_point(point) == projection.of_range(one)
    assert projection.of_point(point).shape == projection.extent


@given(ON_RANGES)
def test_marginal_cells_are_the_cells_gained(pair):
    projection, box = pair
    for dim in range(projection.in_ndim):
        after = box.replace(dim, box.lo[dim], box.hi[dim] + 1)
        before = box.replace(dim, box.lo[dim] - 1, box.hi[dim])
        gained = projection.marginal_cells(box, dim)
        assert gained == projection.of_range(after).size - projection.of_range(box).size
        assert gained == projection.of_range(before).size - projection.of_range(box).size


@settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(ON_RANGES, HUGE, st.data())
def test_the_marginal_extent_is_constant(pair, far, data):
    projection, box = pair
    assume(projection.in_ndim and not box.is_empty and 0 not in projection.shape)
    dim = data.draw(st.integers(0, projection.in_ndim - 1))
    growth = projection.marginal_extent(dim)
    longer = box.replace(dim, box.lo[dim], box.hi[dim] + 1).translate([far] * box.ndim)
    shape = ZVector(projection.of_range(box).shape)
    assert ZVector(projection.of_range(longer).shape) - shape == growth


@given(ON_RANGES, st.integers(1, 2**80), st.data())
def test_marginal_cells_are_constant_where_one_dimension_moves(pair, steps, data):
    projection, box = pair
    assume(projection.in_ndim and not box.is_empty)
    dim = data.draw(st.integers(0, projection.in_ndim - 1))
    assume(sum(c > 0 for c in projection.marginal_extent(dim)) <= 1)
    longer = box.replace(dim, box.lo[dim], box.hi[dim] + steps)
    gained = projection.of_range(longer).size - projection.of_range(box).size
    assert gained == steps * projection.marginal_cells(box, dim)


def test_a_diagonal_gains_more_each_step():
    diagonal = IndexProjection([[1], [1]], [0, 0], [1, 1])
    assert [diagonal.marginal_cells(ZRange([0], [n]), 0) for n in range(4)] == [1, 3, 5, 7]
    assert diagonal.marginal_extent(0) == (1, 1)


@given(HUGE_AT, st.data())
def test_the_index_side_can_change(pair, data):
    projection, p = pair
    box = projection.of_point(p)
    order = data.draw(st.permutations(range(projection.in_ndim)))
    assert projection.permute(order).of_point([p[k] for k in order]) == box
    at = data.draw(st.integers(0, projection.in_ndim))
    assert projection.add_dim(at).of_point((*p[:at], data.draw(HUGE), *p[at:])) == box
    assert projection.add_dim(at).pin(at, 5) == projection
    for k in range(projection.in_ndim):
        assert projection.pin(k, p[k]).of_point((*p[:k], *p[k + 1 :])) == box


@given(projections(HUGE), st.data())
def test_compose_and_translate(projection, data):
    inner = data.draw(maps(out_ndim=projection.in_ndim, values=HUGE))
    p = data.draw(vectors(inner.in_ndim, HUGE))
    assert projection.compose(inner).of_point(p) == projection.of_point(inner(p))
    delta = data.draw(vectors(projection.out_ndim, HUGE))
    moved = projection.translate(delta)
    assert moved.of_point(inner(p)) == projection.of_point(inner(p)).translate(delta)


@given(st.integers(0, 3).flatmap(lambda n: ranges(n, HUGE)))
def test_identity_and_whole(box):
    assert IndexProjection.identity(box.ndim).of_range(box) == box
    everything = IndexProjection.whole((4, 2), box.ndim)
    if not box.is_empty:
        assert everything.of_range(box) == ZRange.of_shape((4, 2))


def test_the_example_of_the_design():
    """8 cells, window 3, stride 2: 3 windows, which read 7."""
    conv = IndexProjection([[2]], [0], [3])
    assert [str(conv.of_point([k])) for k in range(3)] == ["[0:3]", "[2:5]", "[4:7]"]
    assert conv.of_range(ZRange([0], [3])) == ZRange([0], [7])


def test_matmul_shares_its_inputs():
    left = IndexProjection([[1, 0, 0], [0, 0, 1]], [0, 0], [1, 1])
    box = ZRange.of_shape((4, 5, 6))
    assert left.of_range(box) == ZRange.of_shape((4, 6))
    assert [left.marginal_cells(box, dim) for dim in range(3)] == [6, 0, 4]


def test_a_window_of_no_cells_keeps_the_other_extents():
    empty = IndexProjection([[1], [1]], [0, 0], [1, 0])
    assert empty.of_range(ZRange([0], [5])) == ZRange((0, 0), (5, 0))
    assert empty.of_point([3]) == ZRange((3, 3), (4, 3))
    assert empty.marginal_cells(ZRange([0], [5]), 0) == 0


def test_a_tensor_without_dimensions():
    scalar = IndexProjection((), (), (), in_ndim=2)
    assert scalar.of_point((1, 2)) == ZRange((), ())
    assert scalar.of_range(ZRange.of_shape((3, 3))).size == 1
    assert scalar.marginal_cells(ZRange.of_shape((3, 3)), 0) == 0


@given(projections(HUGE))
def test_value(projection):
    parts = (projection.matrix, projection.offset, projection.shape, projection.stride)
    same = IndexProjection(*map(list, parts), projection.in_ndim)
    assert (projection, hash(projection)) == (same, hash(same))
    assert eval(repr(projection)) == pickle.loads(pickle.dumps(projection)) == projection
    with pytest.raises(AttributeError):
        projection.shape = ()


def test_a_stride_may_be_one_number():
    each = IndexProjection([[1, 0], [0, 1]], [0, 0], [3, 3], (2, 2))
    assert IndexProjection([[1, 0], [0, 1]], [0, 0], [3, 3], 2) == each
    assert str(each) == "(i0, i1) -> (i0, i1) + [0:5:2, 0:5:2]"
    assert isinstance(each.of_point(ZPoint((0, 0))), ZRange)


P = IndexProjection([[1, 2]], [3], [4])


@pytest.mark.parametrize(
    ("mistake", "text"),
    [
        (lambda: IndexProjection([[1]], [0], [1, 1]), "shape has 2 dimensions where 1"),
        (lambda: IndexProjection([[1]], [0], [-1]), r"shape must not be negative, got \(-1,\)"),
        (lambda: IndexProjection([[1]], [0], [1], 0), r"stride must be at least 1, got \(0,\)"),
        (lambda: IndexProjection([[1]], [0], [1], (1, 1)), "stride has 2 dimensions where 1"),
        (lambda: IndexProjection((), (), ()), "give in_ndim"),
        (lambda: P.of_point((1,)), "point has 1 dimensions where 2"),
        (lambda: P.of_range(ZRange([0], [1])), "range has 1 dimensions where 2"),
        (lambda: P.marginal_extent(2), "dim must be at least 0 and below 2"),
        (lambda: P.marginal_cells(ZRange.of_shape((1, 1)), 2), "dim must be at least 0"),
        (lambda: P.marginal_cells(ZRange.of_shape((1,)), 0), "range has 1 dimensions where 2"),
        (lambda: P.compose(ZAffineMap.identity(1)), "inner map has 1 dimensions where 2"),
    ],
)
def test_mistakes_are_named(mistake, text):
    with pytest.raises(ValueError, match=text):
        mistake()


def test_only_integers():
    with pytest.raises(TypeError, match=r"shape\[0\] must be an integer"):
        IndexProjection([[1]], [0], [True])
    with pytest.raises(TypeError, match=r"stride must be an integer, got 1\.5"):
        IndexProjection([[1]], [0], [1], 1.5)
