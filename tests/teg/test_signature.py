import pytest
from hypothesis import given
from hypothesis import strategies as st

from dask_tapestry.errors import SignatureError
from dask_tapestry.teg import IndexDim, Kind, Signature
from dask_tapestry.zspace import IndexProjection, ZRange


@st.composite
def signatures(draw):
    """Index dimensions that move output axes in steps of a window, and input axes anyhow."""
    index = [
        IndexDim(f"d{i}", draw(st.integers(0, 4)), draw(st.sampled_from(Kind)))
        for i in range(draw(st.integers(1, 3)))
    ]
    rank = len(index)
    owners = draw(st.permutations(range(rank)))[: draw(st.integers(0, rank))]
    steps = [draw(st.integers(1, 3)) for _ in owners]
    rows = [[s * (d == owner) for d in range(rank)] for owner, s in zip(owners, steps, strict=True)]
    output = IndexProjection(rows, [0] * len(rows), steps, in_ndim=rank)
    matrix = [[draw(st.integers(-2, 2)) for _ in index] for _ in range(draw(st.integers(0, 2)))]
    offset = [draw(st.integers(-3, 3)) for _ in matrix]
    widths = [draw(st.integers(1, 3)) for _ in matrix]
    source = IndexProjection(matrix, offset, widths, in_ndim=rank)
    return Signature(tuple(index), (source,), (output,))


def box_in(draw, shape):
    lo = [draw(st.integers(0, n)) for n in shape]
    return ZRange(lo, [draw(st.integers(a, n)) for a, n in zip(lo, shape, strict=True)])


def output_shape(signature):
    (output,) = signature.outputs
    return [
        width * signature.index[signature.owner(0, axis)].extent
        for axis, width in enumerate(output.shape)
    ]


def needed(signature, box):
    """Index points whose output window meets `box`, one by one."""
    (output,) = signature.outputs
    return [
        p for p in signature.space.points() if not output.of_point(p).intersection(box).is_empty
    ]


@given(signatures(), st.data())
def test_a_demand_is_the_hull_of_the_windows_of_the_points_needed(signature, data):
    box = box_in(data.draw, output_shape(signature))
    points = needed(signature, box)
    (demand,) = signature.demand(box)
    windows = [signature.inputs[0].of_point(p) for p in points]
    if windows:
        hull = windows[0]
        for window in windows[1:]:
            hull = hull.hull(window)
        assert demand == hull


@given(signatures(), st.data())
def test_an_index_range_holds_the_points_needed_and_no_others(signature, data):
    box = box_in(data.draw, output_shape(signature))
    found = set(signature.index_range(box).points())
    assert found == set(needed(signature, box))


@given(signatures(), st.data())
def test_demands_of_no_cells_have_the_extents_of_axes_that_stand_still(signature, data):
    shape = output_shape(signature)
    axis = data.draw(st.integers(0, len(shape) - 1)) if shape else None
    if axis is None:
        return
    nothing = ZRange([0] * len(shape), shape).replace(axis, 0, 0)
    empty = [d for d, n in enumerate(signature.index_range(nothing).shape) if not n]
    (demand,) = signature.demand(nothing)
    for row, extent in zip(signature.inputs[0].matrix, demand.shape, strict=True):
        assert (extent == 0) == any(row[d] for d in empty)


def test_an_axis_has_one_owner():
    both = IndexProjection(((1, 1),), (0,), (1,))
    signature = Signature((IndexDim("a", 2), IndexDim("b", 2)), (), (both,))
    with pytest.raises(SignatureError, match="axis 0 of output 0 follows 2 dimensions"):
        signature.owner(0, 0)


def test_outputs_run_forwards():
    backwards = IndexProjection(((-1,),), (3,), (1,))
    signature = Signature((IndexDim("a", 4),), (), (backwards,))
    with pytest.raises(SignatureError, match="backwards along axis 0"):
        signature.demand(ZRange((0,), (1,)))


def test_what_no_output_follows_may_have_no_steps():
    rows = IndexProjection(((1, 0),), (0,), (2,))
    signature = Signature((IndexDim("a", 3), IndexDim("k", 0, Kind.REDUCTION)), (), (rows,))
    assert signature.written(signature.space).shape == (4,)
    assert signature.written(ZRange((1, 0), (1, 0))).shape == (0,)


def test_a_step_writes_cells_together():
    dims = (IndexDim("i", 4), IndexDim("all", 1, Kind.ATOMIC), IndexDim("run", 5, Kind.SEQUENTIAL))
    rows = ((2, 0, 0), (0, 7, 0), (0, 0, 1), (0, 0, 0), (0, 0, 0))
    writes = IndexProjection(rows, (0,) * 5, (2, 7, 1, 3, 1))
    signature = Signature(dims, (), (writes,))
    assert [signature.cells_per_step(0, axis) for axis in range(5)] == [2, 0, 0, 0, 1]


@pytest.mark.parametrize(("lo", "hi"), [((0, 0), (4, 6)), ((1, 2), (3, 2)), ((-1, 0), (2, 9))])
def test_cells_that_are_the_points_of_the_index_space_are_covered_by_their_own_box(lo, hi):
    same, turned = IndexProjection.identity(2), IndexProjection([[0, 1], [1, 0]], [0, 0], [1, 1])
    index, box = [IndexDim("a", 4), IndexDim("b", 6)], ZRange(lo, hi)
    plain = Signature(index, inputs=[same], outputs=[same])
    other = Signature(index[::-1], inputs=[turned], outputs=[turned])
    assert plain.demand(box) == other.demand(box)
    inside = ZRange((0, 0), (4, 6)).contains(box)
    assert (plain.index_range(box) is box) == inside
